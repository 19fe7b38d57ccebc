import { readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { nearest } from 'pegboard';
import type { Issue, ResourceKind } from 'pegboard';

/** Only `.yaml` and `.yml` files in the folders of the kinds are read, and `config.yaml`. */
const READ = /\.ya?ml$/;
/** Records of runs that another gateway wrote: their runs have ended. */
const FOREIGN_RECORDS = 'workflow_executions';
const LIKE_DEFINITIONS = /\.(ya?ml|json)$/i;

/** Warns about files that look like definitions or settings but are not read, ordered by name. */
export async function unreadFiles(root: string, kinds: readonly ResourceKind[]): Promise<readonly Issue[]> {
  const folders = kinds.map(({ directory }) => directory);
  const found = await Promise.all([
    besideFolders(root, folders),
    ...folders.map((name) => withinFolder(join(root, name))),
  ]);
  return found.flat();
}

async function besideFolders(root: string, folders: readonly string[]): Promise<readonly Issue[]> {
  const issues: Issue[] = [];
  for (const entry of await entriesOf(root)) {
    const path = join(root, entry.name);
    if (/^config\.(yml|json)$/i.test(entry.name)) issues.push(unread(path, 'rename it to config.yaml'));
    if (!entry.isDirectory() || folders.includes(entry.name) || entry.name === FOREIGN_RECORDS) continue;
    const [close] = nearest(entry.name, folders, 1);
    if (close === undefined) continue;
    const holds = (await entriesOf(path)).some(({ name }) => LIKE_DEFINITIONS.test(name));
    if (holds) issues.push(unread(path, `the folder is called ${close}; rename it`));
  }
  return issues;
}

async function withinFolder(folder: string): Promise<readonly Issue[]> {
  return (await entriesOf(folder)).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return [unread(path, `move its files into ${folder}`)];
    if (READ.test(entry.name) || !LIKE_DEFINITIONS.test(entry.name)) return [];
    return [unread(path, 'rename it to end in .yaml; JSON is valid YAML')];
  });
}

/** Ignores hidden entries, because a mounted ConfigMap has some. A folder that cannot be listed is reported elsewhere. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter(({ name }) => !name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function unread(file: string, fix: string): Issue {
  return { severity: 'warning', code: 'CONFIG_UNREADABLE', message: `it is not read; ${fix}`, file };
}
