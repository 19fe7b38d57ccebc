import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defer } from './cleanup.ts';

/** One version of a package in the registry. */
export interface Published {
  readonly name: string;
  readonly version: string;
  readonly archive: Buffer;
  /** Days before now. */
  readonly age?: number;
  readonly hasProvenance?: boolean;
  /** What the registry answers for its provenance; absent: nothing is there. */
  readonly attestations?: string;
  /** Signatures of the registry. */
  readonly signatures?: readonly object[];
  /** Its hash, where no archive is asked for. */
  readonly integrity?: string;
  /** Default: `acme`. */
  readonly publisher?: string;
  readonly deprecated?: string;
  /** The name of its file, if not the usual one. */
  readonly file?: string;
  /** What its hash is of, if that is not the archive. */
  readonly declares?: Buffer;
}

/** Registries of npm (`/npm/`), Python (`/simple/`) and images, in one listener on loopback. */
export interface PackageRegistry {
  readonly host: string;
  /** Variables with which npm and uv ask it. */
  readonly env: Readonly<Record<string, string>>;
  /** Paths that were asked for. */
  readonly asked: string[];
  readonly npm: Published[];
  readonly pypi: Published[];
  /** Manifests by `name:tag`. */
  readonly images: Map<string, string>;
  readonly close: () => Promise<void>;
}

export function sha512(archive: Buffer): string {
  return `sha512-${createHash('sha512').update(archive).digest('base64')}`;
}
export function sha256(archive: Buffer | string): string {
  return createHash('sha256').update(archive).digest('hex');
}

export async function startPackageRegistry(): Promise<PackageRegistry> {
  const [asked, npm, pypi] = [[] as string[], [] as Published[], [] as Published[]];
  const images = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const answer = answerTo(path, host(), { npm, pypi, images });
    const isToken = path.startsWith('/v2/') && request.headers.authorization !== 'Bearer anyone';
    if (isToken) {
      const challenge = `Bearer realm="http://${host()}/token",service="here"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    } else if (answer === undefined) response.writeHead(404).end('{}');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  const host = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  defer(close);
  const env = { npm_config_registry: `http://${host()}/npm/`, UV_DEFAULT_INDEX: `http://${host()}/simple` };
  return { host: host(), env, asked, npm, pypi, images, close };
}

const STATEMENTS = '-/npm/v1/attestations/';

function answerTo(
  path: string,
  host: string,
  { npm, pypi, images }: Pick<PackageRegistry, 'npm' | 'pypi' | 'images'>,
): string | Buffer | undefined {
  const [, kind = '', ...rest] = path.split('/');
  const name = rest.join('/');
  if (kind === 'token') return '{"token":"anyone"}';
  if (kind.startsWith('token?')) return '{"token":"anyone"}';
  if (kind === 'archives') return [...npm, ...pypi].find((one) => fileOf(one) === name)?.archive;
  if (kind === 'v2') return images.get(name.replace('/manifests/', ':'));
  if (kind === 'npm' && name.startsWith(STATEMENTS))
    return npm.find((one) => `${STATEMENTS}${one.name}@${one.version}` === name)?.attestations;
  if (kind === 'npm')
    return npmDocument(
      npm.filter((one) => one.name === name),
      host,
    );
  const python = pypi.filter((one) => one.name === rest[0]);
  if (python.length === 0) return undefined;
  if (kind === 'pypi') return JSON.stringify({ info: { author: 'Python people' } });
  return JSON.stringify({
    files: python.map((one) => ({
      filename: fileOf(one),
      url: `http://${host}/archives/${fileOf(one)}`,
      hashes: { sha256: sha256(one.archive) },
      'upload-time': timeOf(one),
      yanked: false,
    })),
  });
}

function npmDocument(versions: readonly Published[], host: string): string | undefined {
  const last = versions.at(-1);
  if (last === undefined) return undefined;
  return JSON.stringify({
    name: last.name,
    'dist-tags': { latest: last.version },
    maintainers: [{ name: last.publisher ?? 'acme' }],
    time: Object.fromEntries(versions.map((one) => [one.version, timeOf(one)])),
    versions: Object.fromEntries(
      versions.map((one) => [
        one.version,
        {
          name: one.name,
          version: one.version,
          deprecated: one.deprecated,
          dist: {
            integrity: one.integrity ?? sha512(one.declares ?? one.archive),
            signatures: one.signatures,
            tarball: `http://${host}/archives/${fileOf(one)}`,
            ...((one.hasProvenance ?? one.attestations !== undefined) && {
              attestations: { url: `http://${host}/attestations` },
            }),
          },
        },
      ]),
    ),
  });
}

function fileOf({ name, version, file }: Published): string {
  if (file !== undefined) return file;
  return /^mcp-python/.test(name)
    ? `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`
    : `${name.replaceAll('/', '-')}-${version}.tgz`;
}

function timeOf({ age = 0 }: Published): string {
  return new Date(Date.now() - age * 86_400_000 - 60_000).toISOString();
}
