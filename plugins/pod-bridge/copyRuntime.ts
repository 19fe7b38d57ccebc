import { chmod, copyFile, cp, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatewayError } from 'pegboard';

/** Where the parts are in the folder. */
export const LOADER = 'lib/ld.so';
export const NODE = 'node';
export const PROGRAM = 'app/dist/kernel/program/pegboard.js';

/** Copies Node.js with its libraries and its loader, and this package: what then runs in an image that has neither, nor this libc.
 *  @throws GatewayError CONFIG_INVALID unless this is Linux and an installed package */
export async function copyRuntime(folder: string): Promise<void> {
  const { sharedObjects } = process.report.getReport() as unknown as { readonly sharedObjects: string[] };
  const files = sharedObjects.filter((path) => path.startsWith('/') && path !== process.execPath);
  const loader = files.find((path) => /^ld-/.test(basename(path)));
  const root = packageFolder(fileURLToPath(import.meta.url));
  if (process.platform !== 'linux' || loader === undefined || root === undefined) {
    const text = '--install copies what a container image of Pegboard has; run it there, on Linux';
    throw new GatewayError('CONFIG_INVALID', text);
  }
  await mkdir(join(folder, dirname(LOADER)), { recursive: true });
  await copyFile(process.execPath, join(folder, NODE));
  for (const path of files) await copyFile(path, join(folder, 'lib', basename(path)));
  await copyFile(loader, join(folder, LOADER));
  for (const path of [NODE, LOADER]) await chmod(join(folder, path), 0o555);
  for (const part of ['package.json', 'dist', 'schemas', 'kernel'])
    await cp(join(root, part), join(folder, 'app', part), { recursive: true });
}

/** The folder of the package, of whose `dist` this file is a part. */
function packageFolder(file: string): string | undefined {
  const at = file.lastIndexOf('/dist/');
  return at < 0 ? undefined : file.slice(0, at);
}
