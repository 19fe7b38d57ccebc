import { GatewayError, jsonResult, messageOf, ToolTable } from 'pegboard';
import type { CallResult, InboundRequest, JsonObject, Scope, Tool } from 'pegboard';
import { compileGlob } from '../../kit/text/glob.ts';
import type { Turns } from '../../kit/limits/turns.ts';
import { Toolsets } from '../../contracts/toolsets.ts';
import type { ToolsetView } from '../../contracts/toolsets.ts';
import { refuseCount } from '../../kit/calls/selectors.ts';
import { flag, objectArgument, optionalText, readPage, refuseLonger } from './arguments.ts';
import { alwaysLoad } from './clientHints.ts';
import type { MetatoolsConfig } from '../config.ts';
import { toEntry } from '../entry/entry.ts';
import { FILTER_ARGUMENTS, LIMIT, UNLISTED_ARGUMENTS } from './filterArguments.ts';
import { readyCall } from '../entry/readyCall.ts';
import type { ShortSchemaOf, TrimmedSchemaOf } from '../entry/trimmedSchemaOf.ts';
import { metaTool } from './metaTool.ts';
import { confidenceOf, hitsOf, needsOf, PER_NEED, rankingsOf, readQueries, readyTools } from './queries.ts';
import { whyMissing } from './whyMissing.ts';
import { cutPage, cutShortPage } from '../entry/entryPage.ts';
import type { Items, EntryPage, PageRequest } from '../entry/entryPage.ts';
import type { SummaryOf } from '../entry/summary.ts';
import type { Ranker } from '../search/ranker.ts';
import type { ServerTopics } from '../search/serverTopics.ts';
import { absentServers } from './absentServers.ts';
import { searchHint } from './searchHint.ts';
import { mainInstructions } from './serverInstructions.ts';
import { starlessPattern } from './starlessPattern.ts';
import type { StillStarting } from './stillStarting.ts';
import { understoodToolset } from './understoodToolset.ts';

/** Number of characters filtered between two pauses: a few milliseconds. */
const PIECE_CHARS = 2_000_000;
/** Cost of visiting a tool. */
const LOOK_CHARS = 500;

export interface FilterParts {
  readonly ranker: Ranker;
  readonly topics: ServerTopics;
  readonly summaryOf: SummaryOf;
  readonly trimmedSchemaOf: TrimmedSchemaOf;
  readonly shortSchemaOf: ShortSchemaOf;
  readonly turns: Turns;
  readonly starting: StillStarting;
}

export function filterTools(scope: Scope<MetatoolsConfig>, parts: FilterParts): Tool {
  return metaTool({
    name: 'filter_tools',
    description:
      'Find the tools for a task. Start here: say in query what you want to do ("create a pull request"). If confident, the first has its inputSchema and the arguments for call_tool: fill them in and call. Else choose one and use describe_tool.',
    properties: FILTER_ARGUMENTS,
    unlisted: UNLISTED_ARGUMENTS,
    listed: () => alwaysLoad(scope.config),
    understand: (args, request) => understoodToolset(scope, args, request),
    run: async (args, { request }) => {
      const { starting } = parts;
      // Before the search, because a server may connect while it runs.
      const isComplete = starting.names(request).length === 0;
      const answered = ({ answer, tools }: Found): CallResult => {
        const query = optionalText(args, 'query')?.slice(0, scope.config.maxQueryChars);
        scope.emit({ type: 'tools.found', request, query, tools });
        return jsonResult({ ...answer, ...starting.field(request) });
      };
      const first = await search(scope, parts, { args, request });
      if (first.isSure || isComplete) return answered(first);
      // A server that is still connecting may have the requested tool.
      await starting.soon();
      return answered(await search(scope, parts, { args, request }));
    },
  });
}

interface Match {
  readonly tool: Tool;
  readonly score?: number;
}
interface FilterCall {
  readonly args: JsonObject;
  readonly request: InboundRequest;
}

interface Found {
  readonly answer: JsonObject;
  readonly tools: EntryPage['entries'];
  readonly isSure: boolean;
}

async function search(
  scope: Scope<MetatoolsConfig>,
  { ranker, topics, summaryOf, trimmedSchemaOf, shortSchemaOf, turns, starting }: FilterParts,
  { args, request }: FilterCall,
): Promise<Found> {
  const { config } = scope;
  refuseLonger(args, ['pattern', 'description_filter', 'labels'], config.maxQueryChars);
  const queries = readQueries(args, config.maxQueryChars);
  const asked = readPage(args, Math.max(LIMIT, PER_NEED * queries.length));
  const full = flag(args, 'include_schema');
  const withPresets = flag(args, 'include_presets') || args['toolset'] !== undefined;
  const echoed = echoOf(args, queries);
  const table = scope.get(ToolTable);
  const visible = table.visibleTo(request);
  const toolset = toolsetOf(scope, { args, request });
  // A snapshot: changes of the catalogue meanwhile do not affect the answer.
  const { generation } = table;
  // What is visible is within the toolset of the request already.
  const view = args['toolset'] === undefined ? undefined : toolset?.view;
  const filters = filtersOf(args, view);
  const filtered = filters.length === 0 ? visible : await turns.run(narrow(visible, filters));
  const rankings = await rankingsOf(scope, ranker, queries, { tools: filtered, request, generation });
  const matches: Items<Match> = hitsOf(rankings) ?? filtered.map((tool) => ({ tool }));
  const page = await turns.run(pageOf(matches, asked, { full, config, summaryOf, shortSchemaOf }));
  const isSure = page.total > 0 && rankings.every((ranking) => ranking.isSure);
  const pattern = optionalText(args, 'pattern');
  const others = (): Promise<readonly Tool[]> =>
    turns.run(narrow(visible, filtersOf({ ...args, pattern: undefined }, view)));
  const starless =
    pattern === undefined || filtered.length > 0
      ? undefined
      : starlessPattern(pattern, await others(), flag(args, 'case_sensitive'));
  const texts = [...queries, pattern, optionalText(args, 'description_filter')].filter(
    (one) => one !== undefined,
  );
  const found = { request, texts, view: toolset?.view, entries: page.entries, isSure };
  const absent = await absentServers(scope, { topics, summaryOf }, found);
  const missing = whyMissing(scope, [...queries, pattern], request, absent.names) ?? starless;
  const hint = missing ?? searchHint(scope, { request, starting, absent, total: page.total, isSure });
  // A search in words is a model's, which knows what it asked.
  const isBrief = rankings.length > 0 && !full;
  const ready = isBrief && page.offset === 0 ? readyTools(rankings) : [];
  const entries = page.entries.map((entry) => {
    const tool = ready.find(({ name }) => name === entry['name']);
    return tool === undefined ? entry : { ...entry, ...readyCall(tool, trimmedSchemaOf) };
  });
  const applied = { ...echoed, include_schema: full, limit: page.limit, offset: page.offset };
  const answer = {
    ...(!isBrief && {
      filters: applied,
      total_tools: visible.length,
      filtered_count: page.entries.length,
    }),
    total: page.total,
    truncated: page.truncated,
    ...(toolset !== undefined && {
      toolset: toolset.selectors,
      toolset_unmatched: toolset.view.unmatched(visible),
    }),
    ...confidenceOf(rankings),
    ...(args['queries'] !== undefined && { needs: needsOf(queries, rankings, page.entries) }),
    ...(hint !== undefined && { hint }),
    ...absent.fields,
    tools: entries,
    ...mainInstructions(scope, page.entries, visible),
    ...(withPresets && { presets: presetsOf(scope) }),
  };
  return { answer, tools: page.entries, isSure };
}

interface Shaping {
  readonly full: boolean;
  readonly config: MetatoolsConfig;
  readonly summaryOf: SummaryOf;
  readonly shortSchemaOf: ShortSchemaOf;
}

function pageOf(
  matches: Items<Match>,
  asked: PageRequest,
  { full, config, summaryOf, shortSchemaOf }: Shaping,
): Generator<undefined, EntryPage> {
  if (!full) {
    return cutShortPage(matches, asked, {
      bounds: config,
      toEntry: ({ tool, score }, summaryChars) =>
        toEntry(tool, { score, summary: summaryOf(tool.description, summaryChars) }),
    });
  }
  const toFullEntry = ({ tool, score }: Match): JsonObject => toEntry(tool, { score, shortSchemaOf });
  return cutPage(matches, asked, { maxBytes: config.maxPageBytes, toEntry: toFullEntry });
}

/** The toolset argument selects within the toolset of the header, which already restricts `visible`. */
function toolsetOf(
  scope: Scope<MetatoolsConfig>,
  { args, request }: FilterCall,
): { selectors: readonly string[]; view: ToolsetView } | undefined {
  const asked = args['toolset'] ?? request.toolset?.selectors;
  if (asked === undefined) return undefined;
  if (!Array.isArray(asked) || !asked.every((selector) => typeof selector === 'string')) {
    const text = 'toolset must be an array of strings, for example ["server:github"]';
    throw new GatewayError('TOOL_TOOLSET_INVALID', text);
  }
  if (args['toolset'] !== undefined) refuseCount(asked);
  const toolsets = scope.find(Toolsets);
  if (toolsets === undefined) {
    throw new GatewayError('TOOL_TOOLSET_INVALID', 'toolsets are switched off here; search without toolset');
  }
  return { selectors: asked, view: toolsets.resolve(asked, request) };
}

/** A filter of tools, with an upper bound of its work per tool, in characters. */
interface Filter {
  readonly holds: (tool: Tool) => boolean;
  readonly cost: (tool: Tool) => number;
}

/** The tools that pass all filters; yields between pieces of work. */
function* narrow(tools: readonly Tool[], filters: readonly Filter[]): Generator<undefined, readonly Tool[]> {
  const passed: Tool[] = [];
  let done = 0;
  for (const tool of tools) {
    for (const { cost } of filters) done += cost(tool);
    if (filters.every(({ holds }) => holds(tool))) passed.push(tool);
    if (done < PIECE_CHARS) continue;
    done = 0;
    yield;
  }
  return passed;
}

function filtersOf(args: JsonObject, view: ToolsetView | undefined): readonly Filter[] {
  const filters: Filter[] = [];
  if (view !== undefined) filters.push({ holds: (tool) => view.includes(tool), cost: () => LOOK_CHARS });
  const pattern = optionalText(args, 'pattern');
  if (pattern !== undefined) {
    const matches = compile(pattern, flag(args, 'case_sensitive'));
    filters.push({ holds: ({ name }) => matches(name), cost: ({ name }) => name.length * pattern.length });
  }
  const part = optionalText(args, 'description_filter')?.toLowerCase();
  if (part !== undefined)
    filters.push({
      holds: ({ description }) => description.toLowerCase().includes(part),
      cost: ({ description }) => LOOK_CHARS + description.length,
    });
  const labels = wantedLabels(args);
  if (labels.length > 0)
    filters.push({
      holds: (tool) =>
        labels.every(([key, value]) => tool.labels !== undefined && tool.labels[key] === value),
      cost: () => LOOK_CHARS,
    });
  return filters;
}

function compile(pattern: string, caseSensitive: boolean): (name: string) => boolean {
  try {
    return compileGlob(pattern, { caseSensitive });
  } catch (error) {
    const text = `invalid pattern "${pattern}": syntax error in pattern: ${messageOf(error)}`;
    throw new GatewayError('TOOL_ARGUMENTS', text);
  }
}

function wantedLabels(args: JsonObject): [string, string][] {
  const labels = objectArgument(args, 'labels', 'for example {"team": "web"}');
  return Object.entries(labels).map(([key, value]) => [key, String(value)]);
}

function echoOf(args: JsonObject, queries: readonly string[]): JsonObject {
  const [query] = args['query'] === undefined ? [] : queries;
  const pattern = optionalText(args, 'pattern');
  const filter = optionalText(args, 'description_filter');
  const labels = wantedLabels(args);
  return {
    ...(pattern !== undefined && { pattern }),
    ...(filter !== undefined && { description_filter: filter }),
    ...(query !== undefined && { query }),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    case_sensitive: flag(args, 'case_sensitive'),
  };
}

function presetsOf(scope: Scope<MetatoolsConfig>): readonly unknown[] {
  return scope.all(Toolsets).flatMap((toolsets) => toolsets.presets());
}
