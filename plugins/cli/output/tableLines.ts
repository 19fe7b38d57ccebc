import { shownText } from '../../kit/text/shownText.ts';

const GAP = '   ';
const MIN_LAST = 12;

export interface TableOptions {
  readonly hasHeaders: boolean;
  /** Lines are cut to it; undefined: nothing is cut, for programs that read the table. */
  readonly columns: number | undefined;
}

/** Lines of a table as kubectl prints it: upper-case titles, no borders; cut to the width of a terminal. */
export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { hasHeaders, columns }: TableOptions,
): string {
  // Escapes count in the width of a terminal.
  const cells = rows.map((row) =>
    row.map((cell) => (columns === undefined ? oneLine(cell) : shownText(oneLine(cell)))),
  );
  const all = hasHeaders ? [titles.map((title) => title.toUpperCase()), ...cells] : cells;
  const widths = titles.map((_, at) => Math.max(0, ...all.map((row) => row[at]?.length ?? 0)));
  if (columns !== undefined) shrink(widths, columns - GAP.length * (widths.length - 1));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => cut(cell, widths[at] ?? 0).padEnd(widths[at] ?? 0)).join(GAP);
  return all.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** The last column gives way first, then the widest one each time, until they fit or have nothing to give. */
function shrink(widths: number[], room: number): void {
  const last = widths.length - 1;
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - room; excess > 0; excess -= 1) {
    const at = (widths[last] ?? 0) > MIN_LAST ? last : widths.indexOf(Math.max(...widths));
    widths[at] = Math.max(1, (widths[at] ?? 0) - 1);
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
