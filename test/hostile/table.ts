import { DEMANDS } from './demands.ts';
import type { HostileCase } from './hostileCase.ts';
import { MESSAGES } from './messages.ts';
import { SERVERS } from './servers.ts';
import { STATELESS } from './stateless.ts';

export const HOSTILE_CASES: readonly HostileCase[] = [...MESSAGES, ...SERVERS, ...STATELESS, ...DEMANDS];

/** The table of test/README.md:
 *  `node -e "import('./dist/test/hostile/table.js').then(({ markdown }) => console.log(markdown()))"`, then prettier. */
export function markdown(): string {
  const rows = HOSTILE_CASES.map((one) => {
    const status =
      'open' in one ? `open: ${one.open}` : one.but === undefined ? 'held' : `held, but ${one.but}`;
    const tests = 'tests' in one ? one.tests.map(linkOf).join('<br>') : '–';
    return [one.id, plain(one.what), plain(status), tests].map((cell) => cell.replaceAll('|', '\\|'));
  });
  return [['case', 'what comes', 'status', 'tests'], ['-', '-', '-', '-'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
    .concat('\n');
}

function linkOf(test: string): string {
  const [path = '', name = ''] = test.split(/: (.*)/s);
  return `[${path.replace(/^plugins\//, '')}](${path}.test.ts): ${plain(name)}`;
}

/** Escapes markup. */
function plain(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('$', '&#36;').replace(/[*_]/g, '\\$&').replaceAll('`', '');
}
