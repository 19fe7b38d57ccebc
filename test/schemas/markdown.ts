/** Body rows of the `nth` table below a heading (any level), cells trimmed and unescaped. Empty without such a table. */
export function tableBelow(markdown: string, heading: string, nth = 0): string[][] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#+ /.test(line));
  const section = end < 0 ? rest : rest.slice(0, end);
  const tables = section.join('\n').split(/\n(?!\|)/);
  const rows = tables.map((text) => text.split('\n').filter((line) => line.startsWith('|')));
  return (rows.filter(({ length }) => length > 2)[nth] ?? []).slice(2).map(cellsOf);
}

/** The text of each `code` span. */
export function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) =>
      cell
        .trim()
        .replaceAll('&lt;', '<')
        .replace(/\\(?=[^\w\s"])/g, ''),
    );
}
