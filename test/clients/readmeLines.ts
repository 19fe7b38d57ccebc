import { textOf } from '../support/sources.ts';

const ADDRESS = 'http://localhost:8090';

/** Code spans of a client's row, in the table below a heading. @throws Error without such a row */
function codesOf(client: string, heading: string): readonly string[] {
  const [, section = ''] = textOf('README.md').split(`# ${heading}\n`);
  const row = section
    .split(/^#+ /m)[0]
    ?.split('\n')
    .find((line) => line.startsWith(`| ${client} `));
  if (row === undefined) throw new Error(`the README has no row for ${client} below "${heading}"`);
  return [...row.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** The lines that connect the client, as in the README except for the address. */
export function connectingLine(client: string, url: string): string {
  const [line = ''] = codesOf(client, 'Connect your client');
  if (!line.includes(ADDRESS)) throw new Error(`the README's line for ${client} lacks ${ADDRESS}: ${line}`);
  return line.replace(ADDRESS, url);
}

/** The README's way to let the client run tools without asking: arguments, or a file below the home folder and its addition. */
export type Permission = { readonly flag: string } | { readonly file: string; readonly lines: string };
export function permissionOf(client: string): Permission {
  const [first = '', ...lines] = codesOf(client, 'Let it run tools');
  return first.startsWith('~/') ? { file: first.slice(2), lines: `${lines.join('\n')}\n` } : { flag: first };
}
