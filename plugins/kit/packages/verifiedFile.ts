import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { throughDraft } from '../files/atomicFile.ts';
import { Failure } from '../text/failure.ts';
import { npmFound } from './npmFound.ts';
import type { PackageSource } from './packageIn.ts';
import { pypiFound } from './pypiFound.ts';
import { MAX_ARCHIVE_BYTES, registryRequest } from './registryRequest.ts';
import type { Asking } from './registryRequest.ts';
import { renameOver } from '../files/renameOver.ts';

/** An archive that no start has used for so long is of an earlier version. */
const UNUSED_MS = 90 * 86_400_000;

/** The archive of a package differs from what was pinned. */
export class OtherContent extends Failure {}

/** The archive of a package, with the content that is pinned: from `folder`, else from the registry. What a runner installs from this
 *  file is what was hashed. @returns its path @throws OtherContent; RegistryAway; Failure */
export async function verifiedFile(source: PackageSource, folder: string, asking: Asking): Promise<string> {
  // A name for a folder: base64 has slashes.
  const key = createHash('sha256').update(`${source.name} ${source.integrity}`).digest('hex').slice(0, 32);
  const place = join(folder, key);
  for (const kept of await readdir(place).catch(() => [])) {
    if (kept.startsWith('.') || !isContent(await readFile(join(place, kept)), source)) continue;
    await utimes(place, new Date(), new Date());
    return join(place, kept);
  }
  const { name, bytes } = await download(source, asking);
  await mkdir(place, { recursive: true, mode: 0o700 });
  const file = join(place, name);
  // Other servers may start from it at the same time.
  await throughDraft(file, bytes, 0o600, (draft) => renameOver(draft, file));
  await removeUnused(folder);
  return file;
}

async function removeUnused(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > UNUSED_MS) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function download(
  source: PackageSource,
  asking: Asking,
): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const { registry, name, version, integrity } = source;
  const found =
    registry === 'npm'
      ? await npmFound(name, version, asking)
      : await pypiFound(name, version, asking, integrity.slice('sha256:'.length));
  if (found.source.integrity !== integrity) throw differs(source, 'the registry has another hash for it');
  const url = found.archive ?? '';
  const what = `archive of ${name} ${version}`;
  const response = await registryRequest(url, {
    ...asking,
    what,
    namedBy: found.saidBy,
    accept: '*/*',
    maxBytes: MAX_ARCHIVE_BYTES,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!isContent(bytes, source)) throw differs(source, 'its archive has another content');
  if (registry === 'npm')
    return { name: `${name.replaceAll(/[^\w.-]+/g, '-').replace(/^-/, '')}-${version}.tgz`, bytes };
  // uv reads name and version of a wheel from its file name.
  const file = new URL(url).pathname.replaceAll(/%2b/gi, '+').split('/').at(-1) ?? '';
  if (!/^[\w][\w.+!-]*$/.test(file))
    throw new Failure(`the archive of ${name} has a name that no file can have`);
  return { name: file, bytes };
}

function differs({ name, version }: PackageSource, why: string): OtherContent {
  return new OtherContent(`${name} ${version} is not what was pinned: ${why}`);
}

function isContent(bytes: Buffer, { integrity }: PackageSource): boolean {
  const own = integrity.startsWith('sha512-')
    ? `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    : `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return own === integrity;
}
