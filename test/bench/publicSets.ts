import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Tool } from '../../kernel/contracts/call.ts';
import type { JsonObject } from '../../kernel/contracts/json.ts';
import { isObject } from '../../kernel/lib/json.ts';
import { packageFile } from '../../kernel/lib/packageFile.ts';
import type { Answered, Query } from '../support/discovery.ts';

/** Beside the repository, if it is there: sets that are not part of it. */
const FOLDER = packageFile('../shared/discovery/external/');
const K1 = 1.5;
const B = 0.75;

export interface PublicSet {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly queries: readonly Query[];
}
interface Declared {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
}
interface SetFile {
  readonly name: string;
  readonly servers: Readonly<Record<string, readonly Declared[]>>;
  readonly queries: readonly { readonly q: string; readonly want: Query['want'] }[];
}

/** Tools and queries of public benchmarks; none if they are not beside the repository. */
export function* publicSets(): Generator<PublicSet, undefined> {
  const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => file.endsWith('.json.gz')) : [];
  for (const file of files) {
    const set = JSON.parse(gunzipSync(readFileSync(new URL(file, FOLDER))).toString()) as SetFile;
    yield {
      name: set.name,
      tools: Object.entries(set.servers).flatMap(([server, tools]) =>
        tools.map((tool) => toTool(server, tool)),
      ),
      queries: set.queries.map(({ q, want }) => ({ query: q, tag: '', want })),
    };
  }
  return undefined;
}

function toTool(server: string, { name, description = '', inputSchema = {} }: Declared): Tool {
  return {
    name: name.startsWith(`${server}_`) ? `x_${name}` : `x_${server}_${name}`,
    kind: 'tool',
    server,
    description,
    inputSchema,
    declared: { name },
    invoke: () => Promise.reject(new Error('only to be found')),
  };
}

/** A line of figures for the queries that a tool serves: wanted tools among the first five, and right first hits; the same for plain BM25. */
export function besidePlain(name: string, answers: readonly Answered[], tools: readonly Tool[]): string {
  const wanted = answers.filter(({ want }) => want.length > 0);
  const search = plainSearch(tools);
  const own = wanted.map(({ want, hits }) => ({ want, ids: hits.slice(0, 5).map(({ tool }) => idOf(tool)) }));
  const plain = wanted.map(({ want, query }) => ({ want, ids: search(query) }));
  const sure = own.filter((_, at) => wanted[at]?.isSure);
  return (
    `discovery  ${name.padEnd(24)} in five ${inFive(own)} %, first ${rightFirst(own)} %; plain BM25 ${inFive(plain)} %, ${rightFirst(plain)} %;` +
    ` confident ${percent(sure.length, own.length)} %, then right ${rightFirst(sure)} %`
  );
}

interface Found {
  readonly want: Query['want'];
  /** The first five. */
  readonly ids: readonly string[];
}

function inFive(all: readonly Found[]): string {
  const shareOf = ({ want, ids }: Found): number =>
    want.filter((group) => group.some((id) => ids.includes(id))).length / want.length;
  return percent(
    all.reduce((sum, one) => sum + shareOf(one), 0),
    all.length,
  );
}

function rightFirst(all: readonly Found[]): string {
  const isRight = ({ want, ids: [first = ''] }: Found): boolean =>
    want.some((group) => group.includes(first));
  return percent(all.filter(isRight).length, all.length);
}

function percent(part: number, whole: number): string {
  return ((100 * part) / Math.max(whole, 1)).toFixed(1);
}

/** Okapi BM25 over names, descriptions and parameters, without stems and stop-words.
 *  @returns the five best tools of a query, as `server/name` */
function plainSearch(tools: readonly Tool[]): (query: string) => readonly string[] {
  const lists = tools.map((tool) => wordsIn(textOf(tool)));
  const mean = lists.reduce((sum, { length }) => sum + length, 0) / lists.length;
  const countsByWord = new Map<string, Map<number, number>>();
  for (const [at, words] of lists.entries()) {
    for (const word of words) {
      const counts = countsByWord.get(word) ?? new Map<number, number>();
      countsByWord.set(word, counts.set(at, (counts.get(at) ?? 0) + 1));
    }
  }
  return (query) => {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsIn(query))) {
      const counts = countsByWord.get(word) ?? new Map<number, number>();
      const idf = Math.log(1 + (lists.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [at, count] of counts) {
        const norm = K1 * (1 - B + (B * (lists[at]?.length ?? 0)) / mean);
        scores.set(at, (scores.get(at) ?? 0) + (idf * count * (K1 + 1)) / (count + norm));
      }
    }
    const best = [...scores].sort(([a, x], [b, y]) => y - x || a - b).slice(0, 5);
    return best.flatMap(([at]) => idOf(tools[at]));
  };
}

function idOf(tool: Tool | undefined): string {
  return `${tool?.server ?? ''}/${String(tool?.declared?.['name'])}`;
}

function wordsIn(text: string): readonly string[] {
  const split = text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2');
  return split.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function textOf({ server, declared, description, inputSchema: { properties } }: Tool): string {
  const parameters = Object.entries(isObject(properties) ? properties : {});
  const texts = parameters.map(([name, one]) => {
    const text = isObject(one) ? one['description'] : undefined;
    return typeof text === 'string' ? `${name} ${text}` : name;
  });
  // The one server of sets without servers.
  const named = server === 'zz' ? '' : server;
  return [named, declared?.['name'], description, ...texts].join(' ');
}
