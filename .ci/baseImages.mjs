// Prints, for `docker build --build-context`, each image that the Dockerfile takes from a registry with the digest that its tag has now, so that
// both targets and both platforms of a release are built of the same bytes. Fails if one has none.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
const stages = new Set([...text.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name));
const used = [...text.matchAll(/^(?:FROM|COPY --from=) ?(\S+)/gm)].map(([, image]) => image);

for (const image of new Set(used.filter((name) => !stages.has(name)))) {
  const words = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  const digest = execFileSync('docker', words, { encoding: 'utf8' }).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`docker names no digest of ${image}: ${digest}`);
  console.log(`${image}=docker-image://${image}@${digest}`);
}
