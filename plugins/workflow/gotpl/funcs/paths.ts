import { posix } from 'node:path';
import { func } from '../signature.ts';
import type { FuncTable, GoFunc } from '../signature.ts';

const text = (run: (path: string) => unknown): GoFunc => func(['string'], (_env, path) => run(path));
const baseOf = text((path) => {
  const end = lastNonSlash(path) + 1;
  if (path === '') return '.';
  return end === 0 ? '/' : path.slice(path.lastIndexOf('/', end - 1) + 1, end);
});
const dirOf = text((path) => clean(path.slice(0, path.lastIndexOf('/') + 1)));
const cleaned = text(clean);
const extension = text((path) => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
});
const isAbsolute = text((path) => path.startsWith('/'));

/** Go's path functions; the os variants use Unix path/filepath rules on every system. */
export const PATHS: FuncTable = {
  base: baseOf,
  osBase: baseOf,
  dir: dirOf,
  osDir: dirOf,
  clean: cleaned,
  osClean: cleaned,
  ext: extension,
  osExt: extension,
  isAbs: isAbsolute,
  osIsAbs: isAbsolute,
};

function lastNonSlash(path: string): number {
  let at = path.length - 1;
  while (path[at] === '/') at--;
  return at;
}

function clean(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}
