import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { HOSTILE_CASES } from './hostile/table.ts';
import { REQUIREMENTS } from './requirements.ts';
import { filesBelow, ROOT, textOf } from './support/sources.ts';

const FILES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', '.dependency-cruiser.cjs']
  .concat(
    ...['kernel', 'plugins', 'schemas', 'test', 'examples'].map((folder) =>
      filesBelow(folder, ['.ts', '.md']),
    ),
  )
  .filter((path) => path !== 'test/citations.test.ts');

const DECISIONS = [...textOf('kernel/DECISIONS.md').matchAll(/^### D(\d+)\. /gm)].map(([, number]) =>
  Number(number),
);
const IDS = REQUIREMENTS.map(({ id }) => id);

/** What a comment may cite besides files, requirements and decisions of the repository: published texts. */
const PUBLISHED = [
  /^RFC \d+/,
  /^MCP \d{4}-\d{2}-\d{2}, /,
  /^SEP-\d+/,
  /^draft-[\w-]+/,
  /^(?:WHATWG|W3C|HTML),? /,
  /^proc\(5\)/,
  /^https:\/\//,
  /^(?:Anthropic|OpenAI|Gemini|Claude Code)/,
  /^Porter \(1980\)/,
  /^dynamic thresholds \(Choudhury and Hahne, 1998\)/,
];

interface Citation {
  readonly at: string;
  readonly text: string;
}

/** Matches of `pattern`, whose first group is the citation. */
function citations(pattern: RegExp, files: readonly string[] = FILES): Citation[] {
  return files.flatMap((path) => {
    const text = textOf(path);
    return [...text.matchAll(pattern)].map((match) => ({
      at: `${path}:${text.slice(0, match.index).split('\n').length}`,
      text: (match[1] ?? '').trim(),
    }));
  });
}

/** Whether every part of a source, separated by semicolons, names something that exists. */
function resolves(source: string): boolean {
  return source.split('; ').every((part) => {
    const ids = /^requirement ([\w.]+(?:, [\w.]+)*)$/.exec(part)?.[1]?.split(', ');
    if (ids !== undefined) return ids.every((id) => IDS.includes(id));
    const decision = /^D(\d+)$/.exec(part)?.[1];
    if (decision !== undefined) return DECISIONS.includes(Number(decision));
    const file = /^[\w./-]+\.(?:md|ts|json|yaml)(?=,|$)/.exec(part)?.[0];
    if (file !== undefined) return existsSync(join(ROOT, file));
    return PUBLISHED.some((text) => text.test(part));
  });
}

describe('Citations', () => {
  it('name sources that are in the repository or published', () => {
    const sources = citations(/(?<!`)\bSource: (.*?)\.?(?=\s*\*\/|\.? @|\. |$)/gm);
    expect(sources).not.deep.equal([]);
    expect(sources.filter(({ text }) => !resolves(text))).deep.equal([]);
  });

  it('name decisions that have an entry in kernel/DECISIONS.md', () => {
    const cited = citations(/\bD(\d{1,3})\b/g);
    expect(cited.filter(({ text }) => !DECISIONS.includes(Number(text)))).deep.equal([]);
  });

  it('name hostile cases that are in test/hostile', () => {
    const ids: readonly string[] = HOSTILE_CASES.map(({ id }) => id);
    const cited = citations(/\b(U\d{1,2}|case \d{1,2})\b(?!:)/g).filter(
      ({ at }) => !at.startsWith('schemas/'),
    );
    expect(cited.filter(({ text }) => !ids.includes(text))).deep.equal([]);
  });

  it('rely on decisions that are numbered from 1 without a gap', () => {
    expect(DECISIONS).deep.equal(DECISIONS.map((_, at) => at + 1));
  });
});
