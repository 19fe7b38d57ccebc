import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const OURS = new URL('.', import.meta.url).href;
const RELATIVE_IMPORTS = /\b(?:from|import)\s*['"](\.[^'"]+)['"]/g;

/** Where a module that could not be imported failed, as `file:line`; undefined if the error does not show it. */
export async function faultPlace(error: unknown, url: string): Promise<string | undefined> {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = [...stack.matchAll(/(file:\/\/[^\s()]+?):(\d+)/g)].filter(([at]) => !at.startsWith(OURS));
  const [[, file = '', line] = []] = places;
  // First, because from Node 24 on the stack of one has the places of who awaits the import.
  const parsed =
    error instanceof SyntaxError ? await syntaxPlace(new URL(import.meta.resolve(url))) : undefined;
  return parsed ?? (line === undefined ? undefined : `${fileURLToPath(file)}:${line}`);
}

/** The error of a module that does not parse has no line; `node --check` prints it. */
async function syntaxPlace(url: URL, seen = new Set<string>()): Promise<string | undefined> {
  if (url.protocol !== 'file:' || seen.has(url.href)) return undefined;
  seen.add(url.href);
  const said = await new Promise<string>((resolve) =>
    execFile(process.execPath, ['--check', fileURLToPath(url)], (_error, _stdout, stderr) => resolve(stderr)),
  );
  const [, place] = /^(\/.+:\d+)$/m.exec(said) ?? [];
  if (place !== undefined) return place;
  const text = await readFile(url, 'utf8').catch(() => '');
  for (const [, module = ''] of text.matchAll(RELATIVE_IMPORTS)) {
    const below = await syntaxPlace(new URL(module, url), seen);
    if (below !== undefined) return below;
  }
  return undefined;
}
