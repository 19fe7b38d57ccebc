import { textOf } from '../support/sources.ts';

const ADDRESS = 'http://localhost:8090/mcp';

/** What a person types, or adds to a file below the home folder. */
export type Instruction = { readonly line: string } | { readonly file: string; readonly lines: string };

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

function instructionIn([first = '', ...lines]: readonly string[]): Instruction {
  return first.startsWith('~/') ? { file: first.slice(2), lines: `${lines.join('\n')}\n` } : { line: first };
}

/** The README's way to connect the client, except for the address.
 *  @param preset path of a toolset below the endpoint */
export function connecting(client: string, url: string, preset = ''): Instruction {
  const codes = codesOf(client, 'Connect your client');
  if (!codes.some((code) => code.includes(ADDRESS)))
    throw new Error(`the README's row for ${client} lacks ${ADDRESS}: ${codes.join(' ')}`);
  return instructionIn(codes.map((code) => code.replace(ADDRESS, `${url}/mcp${preset}`)));
}

/** The README's way to let the client run tools without asking: in a file, or words of a line that adds the gateway or starts the client. */
export function permissionOf(client: string): Instruction {
  return instructionIn(codesOf(client, 'Let it run tools'));
}
