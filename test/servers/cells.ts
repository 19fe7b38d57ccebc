import { CLIENTS } from './clients.ts';
import { FATES, canMeet } from './fates.ts';
import { KNOWN } from './known.ts';
import type { Known } from './known.ts';
import { SERVERS } from './servers.ts';
import { STEPS } from './steps.ts';

/** One server's row and a fate's or a client's column. */
export interface Cell {
  readonly server: string;
  readonly column: string;
}
/** What is wrong in one cell. */
export interface Fault {
  readonly what: string;
  readonly saw: string;
  readonly alsoDirectly: boolean;
}

/** What is known to be wrong in a cell. */
export function knownAt({ server, column }: Cell): readonly Known[] {
  const isFate = FATES.some((fate) => fate === column);
  return KNOWN.filter(
    ({ servers, columns }) => (servers?.includes(server) ?? true) && (columns?.includes(column) ?? !isFate),
  );
}

/** @returns a sentence for each difference between what was seen and what is known */
export function differences(cell: Cell, faults: readonly Fault[]): readonly string[] {
  const known = knownAt(cell).flatMap(({ what, alsoDirectly = false, isSometimesRight = false }) =>
    what.map((one) => ({ what: one, alsoDirectly, isSometimesRight })),
  );
  const isSame = (one: (typeof known)[number], fault: Fault): boolean =>
    one.what === fault.what && (one.isSometimesRight || one.alsoDirectly === fault.alsoDirectly);
  const at = `${cell.server} ${cell.column}`;
  return [
    ...faults
      .filter((fault) => !known.some((one) => isSame(one, fault)))
      .map(({ what, saw, alsoDirectly }) => `${at} ${what}${alsoDirectly ? ' (also directly)' : ''}: ${saw}`),
    ...known
      .filter((one) => !one.isSometimesRight && !faults.some((fault) => isSame(one, fault)))
      .map(({ what }) => `${at} ${what}: is right now, or differs from known.ts; correct that`),
  ];
}

/** The tables in plugins/upstream/README.md. */
export function markdown(): string {
  const fates = table(FATES, [...FATES], (server, fate) => {
    const kind = SERVERS.find(({ word }) => word === server)!;
    return FATES.some((one) => one === fate && !canMeet(kind, one)) ? '–' : undefined;
  });
  const clients = table(
    CLIENTS.map(({ word }) => word),
    CLIENTS.map(({ title }) => title),
    () => undefined,
  );
  const reasons = KNOWN.map(({ because, what, alsoDirectly = false }, at) => {
    const where = alsoDirectly ? ', also without Pegboard' : '';
    return `${at + 1}. ${what.join(', ')}${where}: ${because}.`;
  });
  const steps = `Then each client takes these steps: ${STEPS.join(', ')}. \`=\`: all are right.`;
  const sdks = new Set([...SERVERS, ...CLIENTS].map(({ sdk }) => `${sdk.name} ${sdk.version}`));
  return [fates, steps, clients, reasons.join('\n'), worse(), `Versions: ${[...sdks].join(', ')}.`].join(
    '\n\n',
  );
}

/** How many cells are not as right as without Pegboard. */
function worse(): string {
  const columns = CLIENTS.map(({ word }) => word);
  const cells = SERVERS.flatMap((kind) => [
    ...FATES.filter((fate) => canMeet(kind, fate)).map((column) => ({ server: kind.word, column })),
    ...columns.map((column) => ({ server: kind.word, column })),
  ]);
  const left = cells.map((cell) => knownAt(cell).filter((one) => one.alsoDirectly !== true));
  const numbers = [...new Set(left.flat().map((one) => KNOWN.indexOf(one) + 1))];
  const count = left.filter((known) => known.length > 0).length;
  return `Worse than without Pegboard: ${count} of ${cells.length} cells, for ${numbers.join(' and ')}.`;
}

function table(
  columns: readonly string[],
  titles: readonly string[],
  outside: (server: string, column: string) => string | undefined,
): string {
  const rows = SERVERS.map(({ word, title }) => {
    const cells = columns.map((column) => {
      const known = knownAt({ server: word, column });
      const numbers = known.map((one) => `${KNOWN.indexOf(one) + 1}`).join(', ');
      return outside(word, column) ?? (known.length === 0 ? '=' : numbers);
    });
    return [title, ...cells];
  });
  return tableOf(['server', ...titles], rows);
}

/** As prettier writes it. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(3, title.length, ...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
