// Writes plugins/kit/provenance/trustedRoot.ts anew from the newest @sigstore/tuf, whose maintainers keep it equal to the root of Sigstore.
import { execFileSync } from 'node:child_process';
import { Buffer } from 'node:buffer';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';

const FILE = fileURLToPath(new URL('../plugins/kit/provenance/trustedRoot.ts', import.meta.url));
const REPOSITORY = 'https://tuf-repo-cdn.sigstore.dev';
const [version = 'latest'] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), 'trusted-root-'));
try {
  const options = { cwd: folder, encoding: 'utf8' };
  const [{ filename, version: found }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', `@sigstore/tuf@${version}`], options),
  );
  execFileSync('tar', ['xzf', filename], options);
  const { targets } = JSON.parse(readFileSync(join(folder, 'package/seeds.json'), 'utf8'))[REPOSITORY];
  const decoded = (name) => JSON.parse(Buffer.from(targets[name], 'base64').toString());
  const text = [
    `// Written by .ci/trustedRoot.mjs from @sigstore/tuf ${found}.`,
    '',
    '/** The day on which these keys were taken over. */',
    `export const ROOT_DATE = '${new Date().toISOString().slice(0, 10)}';`,
    '/** The keys of Sigstore: its certificate authority and its logs, in JSON as TUF has them. */',
    `export const TRUSTED_ROOT = '${JSON.stringify(decoded('trusted_root.json'))}';`,
    '/** The keys of npm. */',
    `export const NPM_KEYS = '${JSON.stringify(decoded('registry.npmjs.org%2Fkeys.json').keys)}';`,
    '',
  ].join('\n');
  const style = JSON.parse(readFileSync(new URL('../.prettierrc.json', import.meta.url), 'utf8'));
  writeFileSync(FILE, await format(text, { ...style, filepath: FILE }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
