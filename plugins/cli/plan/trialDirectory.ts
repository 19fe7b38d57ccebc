import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';

const TRAIL = ['plugins', 'audit', 'config', 'directory'];

/** The directory that a trial serves: the given one, or, with an audit trail, a folder of links to its files whose config.yaml
 *  puts the trail into `temporary`. Two processes must not write one trail. */
export async function trialDirectory(directory: string, temporary: string): Promise<string> {
  const document = parseDocument(await textAt(join(directory, 'config.yaml')));
  if (!document.hasIn(TRAIL)) return directory;
  document.setIn(TRAIL, join(temporary, 'audit'));
  const folder = join(temporary, 'config');
  await mkdir(folder);
  for (const name of await readdir(directory))
    if (name !== 'config.yaml') await symlink(join(directory, name), join(folder, name));
  await writeFile(join(folder, 'config.yaml'), String(document), { mode: 0o600 });
  return folder;
}

async function textAt(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
}
