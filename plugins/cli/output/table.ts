const GAP = '   ';
const MIN_LAST = 12;

export interface TableOptions {
  readonly hasHeaders: boolean;
  /** Lines are cut to it; undefined: nothing is cut, for programs that read the table. */
  readonly columns: number | undefined;
}

/** Lines of a table as kubectl prints it: upper-case titles, no borders; the last column gives way to a narrow terminal. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { hasHeaders, columns }: TableOptions,
): string {
  const cells = rows.map((row) => row.map(oneLine));
  const all = hasHeaders ? [titles.map((title) => title.toUpperCase()), ...cells] : cells;
  const widths = titles.map((_, at) => Math.max(0, ...all.map((row) => row[at]?.length ?? 0)));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const last = columns === undefined ? Infinity : Math.max(MIN_LAST, columns - before);
  return all
    .map((row) => {
      const padded = row.map((cell, at) =>
        at === row.length - 1 ? cut(cell, last) : cell.padEnd(widths[at] ?? 0),
      );
      return `${padded.join(GAP).trimEnd()}\n`;
    })
    .join('');
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
