import { ENTRIES, publicDeclarations } from './declarations.ts';

/** What the public entries declare, as one text: a section for each entry, and one for what these mention without exporting it. */
export function apiReport(): string {
  const { exported, reached } = publicDeclarations();
  const sections = [...exported].map(
    ([entry, names]) => [`${entry} (${ENTRIES[entry] ?? ''})`, names] as const,
  );
  return [...sections, ['mentioned by these, exported by none', reached] as const]
    .map(([title, names]) => `==== ${title}\n${listed(names)}`)
    .join('\n');
}

function listed(names: ReadonlyMap<string, string>): string {
  return [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `\n-- ${name}\n${text}\n`)
    .join('');
}

/** Sections of a report: entry and name to text. */
export function sectionsOf(report: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of report.split(/^==== /m).slice(1)) {
    const [title = '', ...rest] = part.split('\n');
    for (const section of rest.join('\n').split(/^-- /m).slice(1)) {
      const [name = '', ...lines] = section.trimEnd().split('\n');
      found.set(`${title}: ${name}`, lines.join('\n'));
    }
  }
  return found;
}
