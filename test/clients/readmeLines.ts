import { textOf } from '../support/sources.ts';

const ADDRESS = 'http://localhost:8090';

/** Code spans of a client's row, in the table below a heading. @throws when there is no such row */
function codesOf(client: string, heading: string): readonly string[] {
  const [, section = ''] = textOf('README.md').split(`# ${heading}\n`);
  const row = section
    .split(/^#+ /m)[0]
    ?.split('\n')
    .find((line) => line.startsWith(`| ${client} `));
  if (row === undefined) throw new Error(`the README has no row for ${client} below "${heading}"`);
  return [...row.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** What connects the client, as the README prints it but for the address. */
export function connectingLine(client: string, url: string): string {
  const [line = ''] = codesOf(client, 'Connect your client');
  if (!line.includes(ADDRESS)) throw new Error(`the README's line for ${client} lacks ${ADDRESS}: ${line}`);
  return line.replace(ADDRESS, url);
}

/** What lets the client run tools without asking: words for its line, or a file below the home folder and what to add to it. */
export type Permission = { readonly flag: string } | { readonly file: string; readonly lines: string };
export function permissionOf(client: string): Permission {
  const [first = '', ...lines] = codesOf(client, 'Let it run tools');
  return first.startsWith('~/') ? { file: first.slice(2), lines: `${lines.join('\n')}\n` } : { flag: first };
}
