import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../text/failure.ts';
import type { FoundPackage } from './foundPackage.ts';
import { RegistryAway, jsonOf, registryRequest } from './registryRequest.ts';
import type { Asking } from './registryRequest.ts';
import { versionOrder } from './versionOrder.ts';

const PUBLIC = 'https://pypi.org/simple/';
/** Source: https://peps.python.org/pep-0691/ */
const SIMPLE_JSON = 'application/vnd.pypi.simple.v1+json';
const MORE = ['UV_INDEX', 'UV_EXTRA_INDEX_URL', 'PIP_EXTRA_INDEX_URL'];
const MORE_LINE = /^(?:extra-index-url\b|\[\[index\]\])/;
const FINAL = /^\d+(?:\.\d+)*(?:\.post\d+)?$/;

interface File {
  readonly name: string;
  readonly version: string;
  readonly url: string;
  readonly sha256: string;
  readonly uploadedAt: string | undefined;
  readonly isYanked: boolean;
}

/** A package of an index of Python. @param wanted a version; absent or `latest`: the newest final one
 *  @param sha256 of the file to take, if one is pinned @throws Failure */
export async function pypiFound(
  name: string,
  wanted: string | undefined,
  asking: Asking,
  sha256?: string,
): Promise<FoundPackage> {
  const index = await indexOf(asking.env);
  const url = new URL(`${normalized(name)}/`, index).href;
  const what = `Python package ${name}`;
  const response = await registryRequest(url, { ...asking, what, accept: SIMPLE_JSON });
  if (!/json/.test(response.headers.get('content-type') ?? ''))
    throw new RegistryAway(
      `the index at ${new URL(url).host} does not answer in JSON (PEP 691), which has the hashes`,
    );
  const files = filesIn(await jsonOf(response, url), url);
  const finals = files.filter(({ version, isYanked }) => FINAL.test(version) && !isYanked);
  const newest = finals
    .map(({ version }) => version)
    .toSorted(versionOrder)
    .at(-1);
  const version = wanted === undefined || wanted === 'latest' ? newest : wanted;
  const ofVersion = files.filter((file) => version !== undefined && isSameVersion(file.version, version));
  if (version === undefined || ofVersion.length === 0)
    throw new Failure(
      `Python package ${name} has no version ${wanted ?? 'that is final'}; name an exact one`,
    );
  const pinned = ofVersion.find((file) => file.sha256 === sha256);
  const file = pinned ?? ofVersion.find(isForAll) ?? ofVersion.find(isSource);
  if (file === undefined)
    throw new Failure(
      `${name} ${version} has a file for each system only, and no source, so it cannot be pinned for all`,
    );
  return {
    source: { registry: 'pypi', name, version, integrity: `sha256:${file.sha256}` },
    newest,
    publishedAt: file.uploadedAt,
    publisher: sha256 === undefined ? await publisherOf(name, index, asking) : undefined,
    ...(file.isYanked && { warning: 'yanked: its author has taken this version back' }),
    saidBy: url,
    archive: file.url,
  };
}

/** As uv and pip read it, from the variables and files that they share here.
 *  @throws Failure if there are several, of which another may have a package of the same name */
async function indexOf(env: Asking['env']): Promise<string> {
  const named = ['UV_DEFAULT_INDEX', 'UV_INDEX_URL', 'PIP_INDEX_URL'].map((key) => env[key]);
  const home = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? '/', '.config');
  const places = [
    ...[env['UV_CONFIG_FILE'], join(home, 'uv/uv.toml'), '/etc/uv/uv.toml'],
    ...[env['PIP_CONFIG_FILE'], join(home, 'pip/pip.conf'), join(env['HOME'] ?? '/', '.pip/pip.conf')],
    '/etc/pip.conf',
  ].filter((place) => place !== undefined);
  const texts = await Promise.all(places.map((place) => readFile(place, 'utf8').catch(() => '')));
  const lines = texts.flatMap((text) => text.split('\n').map((line) => line.trim()));
  const more = MORE.find((key) => (env[key] ?? '') !== '') ?? lines.find((line) => MORE_LINE.test(line));
  if (more !== undefined) {
    const [name = ''] = more.split(/[\s=]/, 1);
    throw new Failure(
      `the settings name several indexes of Python (${name}), and packages of those cannot be pinned`,
    );
  }
  const written = lines.map(indexIn);
  const address = [...named, ...written].find((one) => one !== undefined && /^https?:/.test(one)) ?? PUBLIC;
  return address.endsWith('/') ? address : `${address}/`;
}

/** Source: https://peps.python.org/pep-0503/#normalized-names */
function normalized(name: string): string {
  return name.replaceAll(/[-_.]+/g, '-').toLowerCase();
}

/** Who publishes it, which only the API of PyPI itself says. */
async function publisherOf(name: string, index: string, asking: Asking): Promise<string | undefined> {
  if (!index.endsWith('/simple/')) return undefined;
  const url = new URL(`../pypi/${normalized(name)}/json`, index).href;
  const what = `Python package ${name}`;
  const statuses = [400, 401, 403, 404, 405, 410];
  const response = await registryRequest(url, { ...asking, what, accept: 'application/json', statuses });
  const { info } = response.status === 200 ? await jsonOf(response, url) : {};
  if (!isObject(info)) return undefined;
  const texts = ['author', 'author_email', 'maintainer', 'maintainer_email'].map((key) => info[key]);
  return texts.find((text): text is string => typeof text === 'string' && text !== '');
}

function filesIn({ files }: JsonObject, base: string): readonly File[] {
  return (Array.isArray(files) ? files : []).flatMap((file: unknown): File[] => {
    if (!isObject(file) || !isObject(file['hashes'])) return [];
    const { filename, url, hashes, yanked } = file;
    const { sha256 } = hashes;
    const at = file['upload-time'];
    if (typeof filename !== 'string' || typeof url !== 'string' || typeof sha256 !== 'string') return [];
    const version = /^[^-]+-([^-]+)(?:-.+\.whl|\.tar\.gz)$|-(\d[^-]*)\.tar\.gz$/.exec(filename);
    const found = version?.[1] ?? version?.[2];
    if (found === undefined || !/^[0-9a-f]{64}$/.test(sha256) || !URL.canParse(url, base)) return [];
    const uploadedAt = typeof at === 'string' ? at : undefined;
    const isYanked = yanked !== undefined && yanked !== false;
    return [{ name: filename, version: found, url: new URL(url, base).href, sha256, uploadedAt, isYanked }];
  });
}

function isForAll({ name }: File): boolean {
  return /-py[23][\w.]*-none-any\.whl$/.test(name);
}
function isSource({ name }: File): boolean {
  return name.endsWith('.tar.gz');
}

/** `1.0` and `1.0.0` are one version. */
function isSameVersion(one: string, other: string): boolean {
  const parts = (text: string): readonly string[] => {
    const all = text.toLowerCase().split('.');
    return all.slice(0, all.findLastIndex((part) => part !== '0') + 1);
  };
  return parts(one).join('.') === parts(other).join('.');
}

/** `index-url = https://…`, a line of both formats. */
function indexIn(line: string): string | undefined {
  const [key = '', ...value] = line.split('=');
  return key.trim() === 'index-url' ? value.join('=').trim().replaceAll('"', '') : undefined;
}
