import { tableBelow } from '../schemas/markdown.ts';
import { textOf } from '../support/sources.ts';

/** One entry of kernel/DECISIONS.md. */
export interface Decision {
  readonly number: number;
  readonly title: string;
  /** The number of the entry that replaces it; undefined while it is in force. */
  readonly supersededBy: number | undefined;
}

/** The decisions in their order. */
export function decisions(): readonly Decision[] {
  const entries = textOf('kernel/DECISIONS.md').split(/^### D(?=\d+\. )/m);
  return entries.slice(1).map((entry) => {
    const [, number = '', title = ''] = /^(\d+)\. (.*)/.exec(entry) ?? [];
    const by = /^Superseded by D(\d+)\.$/m.exec(entry)?.[1];
    return { number: Number(number), title, supersededBy: by === undefined ? undefined : Number(by) };
  });
}

/** The index as a table. The column of areas is written by hand, and kept. */
export function markdown(): string {
  const areas = new Map(rowsOfIndex().map(([decision = '', , area = '']) => [idIn(decision), area]));
  const rows = decisions().map(({ number, title, supersededBy }) => {
    const id = `D${number}`;
    const by = supersededBy === undefined ? '' : `D${supersededBy}`;
    return `| [${id}](#${slugOf(`${id}. ${title}`)}) | ${title} | ${areas.get(id) ?? ''} | ${by} |`;
  });
  return ['| decision | title | area | superseded by |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

export function rowsOfIndex(text = textOf('kernel/DECISIONS.md')): readonly (readonly string[])[] {
  return tableBelow(text, 'Index');
}

function idIn(decision: string): string {
  return /D\d+/.exec(decision)?.[0] ?? '';
}

/** As GitHub makes it of a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
