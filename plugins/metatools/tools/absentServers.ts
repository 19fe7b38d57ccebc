import { ToolTable, isGatewayError } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { GuardedServers } from '../../contracts/credentials.ts';
import { allServices } from '../../kit/definitions/allServices.ts';
import type { ManagedService } from '../../contracts/services.ts';
import type { ToolsetView } from '../../contracts/toolsets.ts';
import type { SummaryOf } from '../entry/summary.ts';
import type { ServerMatch, ServerTopics, Topic } from '../search/serverTopics.ts';
import { authRequiredAt } from './serversRequiringAuth.ts';
import { wayTo } from './wayTo.ts';

const MAX_SHOWN = 5;
/** A status may be a read of the vault. */
const MAX_ASKED = 100;
const MAX_WORDS_CHARS = 80;
const MAX_ERROR_CHARS = 160;
const MAX_NEED_CHARS = 60;
const DOWN: readonly string[] = ['stopped', 'failed', 'unreachable'];

/** What a search has found so far. */
export interface Searched {
  readonly request: InboundRequest;
  /** What it was about, each need alone. */
  readonly texts: readonly string[];
  /** The toolset that it was restricted to. */
  readonly view: ToolsetView | undefined;
  /** The tools that it shows. */
  readonly entries: readonly JsonObject[];
  readonly isSure: boolean;
}
/** Servers of which a search shows no tool that runs now. */
export interface AbsentServers {
  /** `servers_requiring_auth` and `servers_unavailable`, if there are any. */
  readonly fields: JsonObject;
  /** Those for which the fields say what to do. */
  readonly names: ReadonlySet<string>;
  /** What to do about those that the search is about; undefined if it is about none. */
  readonly hint: string | undefined;
  /** Number of servers that may wait for a sign-in and are not shown. */
  readonly more: number;
  /** Whether the caller can sign in at one of those that are shown; at others an operator has to act. */
  readonly isForSignIn: boolean;
}

/** Why a search is about a server: it shows a tool of it, or has its words. */
type Reason = 'tool' | ServerMatch;
const ORDER: readonly (Reason | undefined)[] = ['name', 'tool', 'words', 'description', undefined];

interface Candidate {
  readonly service: ManagedService;
  readonly state: string;
  readonly reason: Reason | undefined;
  /** The need that it matches, if there are several. */
  readonly need: string | undefined;
}
interface Shown extends Candidate {
  readonly entry: JsonObject;
}

/** The servers that wait for the caller's sign-in, if the search is about them or not sure, and the stopped and failed ones that it
 *  names; only those that the request may see. */
export async function absentServers(
  scope: Scope<unknown>,
  { topics, summaryOf }: { readonly topics: ServerTopics; readonly summaryOf: SummaryOf },
  searched: Searched,
): Promise<AbsentServers> {
  const found = candidates(scope, topics, searched);
  const down = found.filter(({ state }) => DOWN.includes(state)).slice(0, MAX_SHOWN);
  const waiting = found.filter(({ state }) => !DOWN.includes(state));
  const { shown, left } = await locked(scope, waiting, searched);
  const entryOf = ({ service, entry: { name, ...rest } }: Shown): JsonObject => {
    const summary = summaryOf(service.description?.() ?? '', MAX_WORDS_CHARS);
    return { name, ...(summary !== '' && { summary }), ...rest };
  };
  return {
    fields: {
      ...(shown.length > 0 && { servers_requiring_auth: shown.map(entryOf) }),
      ...(down.length > 0 && {
        servers_unavailable: down.map((one) => downEntry(scope, one, { ...searched, summaryOf })),
      }),
    },
    names: new Set([...shown, ...down].map(({ service }) => service.name)),
    hint: hintOf(shown, down),
    more: left,
    isForSignIn: shown.some(({ entry }) => entry['auth_tool'] !== undefined),
  };
}

/** The first that lack a sign-in, and how many others may lack one. No more are asked about than it takes. */
async function locked(
  scope: Scope<unknown>,
  waiting: readonly Candidate[],
  searched: Searched,
): Promise<{ readonly shown: readonly Shown[]; readonly left: number }> {
  const found: Shown[] = [];
  let asked = 0;
  while (asked < Math.min(waiting.length, MAX_ASKED) && found.length < MAX_SHOWN) {
    const batch = waiting.slice(asked, asked + MAX_SHOWN);
    const entries = await Promise.all(batch.map(({ service }) => waitingEntry(scope, service, searched)));
    for (const [at, one] of batch.entries()) {
      const entry = entries[at];
      if (entry !== undefined) found.push({ ...one, entry });
    }
    asked += batch.length;
  }
  const shown = found.slice(0, MAX_SHOWN);
  return { shown, left: waiting.length - asked + found.length - shown.length };
}

/** The best reason first. What is cheap to know decides before what is not. */
function candidates(
  scope: Scope<unknown>,
  topics: ServerTopics,
  { request, texts, view, entries, isSure }: Searched,
): readonly Candidate[] {
  const absent = new Map(absentStates(scope.find(GuardedServers)));
  if (absent.size === 0) return [];
  const table = scope.get(ToolTable);
  const used = new Set(entries.map(({ server }) => server));
  const asked = texts.map((text) => topics.topicOf(text));
  const isSeen = (name: string): boolean => {
    const item = { kind: 'server', name, server: name } as const;
    if (used.has(name)) return true;
    return table.refusal(name, item, request) === undefined && view?.includes(item) !== false;
  };
  const services = allServices(scope);
  const found = services.flatMap((service): Candidate[] => {
    const { name } = service;
    const state = absent.get(name);
    if (state === undefined) return [];
    const { reason, topic } = reasonFor(service, { asked, isSure }, topics);
    const best = reason ?? (used.has(name) ? 'tool' : undefined);
    const isNamed = best === 'name' || best === 'words';
    const isWanted = DOWN.includes(state) ? isNamed : best !== undefined || !isSure;
    if (!isWanted || !isSeen(name)) return [];
    const need = texts.length > 1 ? topic?.text.slice(0, MAX_NEED_CHARS) : undefined;
    return [{ service, state, reason: best, need }];
  });
  return found.sort((a, b) => ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason));
}

/** The names and states of servers that are down, or that a caller may have to sign in at. Not by their status, which counts tools. */
function absentStates(guarded: GuardedServers | undefined): readonly (readonly [string, string])[] {
  return (guarded?.all() ?? []).flatMap(({ name, state, isPersonal }) =>
    isPersonal || state === 'auth_required' || DOWN.includes(state) ? [[name, state]] : [],
  );
}

function reasonFor(
  service: ManagedService,
  { asked, isSure }: { readonly asked: readonly Topic[]; readonly isSure: boolean },
  topics: ServerTopics,
): { readonly reason: ServerMatch | undefined; readonly topic: Topic | undefined } {
  const description = service.description?.() ?? '';
  // Words that only resemble its name say less than a confident match.
  const isTold = (match: ServerMatch): boolean => !isSure || match !== 'words';
  const matches = asked.map((topic) => ({
    topic,
    reason: topics.matches(topic, service.name, description).find(isTold),
  }));
  const [best] = matches.sort((a, b) => ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason));
  return best?.reason === undefined ? NO_REASON : best;
}
const NO_REASON = { reason: undefined, topic: undefined };

/** As list_tools has it, with the call that the caller can make. A search continues without it if the vault is away. */
async function waitingEntry(
  scope: Scope<unknown>,
  service: ManagedService,
  { request }: Searched,
): Promise<JsonObject | undefined> {
  const found = await authRequiredAt(scope, service, request).catch((error: unknown) => {
    if (isGatewayError(error)) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const { auth_tool: tool, remedy, ...entry } = found;
  const { name } = service;
  if (typeof tool === 'string') {
    const asked = {
      tool,
      args: { server: name },
      otherwise: `a sign-in takes ${tool}, which this caller may not use`,
    };
    const way = wayTo(scope, request, asked);
    return { ...entry, ...('call_tool' in way && { auth_tool: tool }), ...way };
  }
  const otherwise = 'an operator can give it credentials';
  const way = wayTo(scope, request, { tool: 'core_mcpserver_update', args: { name }, otherwise });
  // No call is ready: only a person knows the credentials.
  return { ...entry, ...('call_tool' in way ? { remedy } : way) };
}

function downEntry(
  scope: Scope<unknown>,
  { service, state }: Candidate,
  { request, summaryOf }: Searched & { readonly summaryOf: SummaryOf },
): JsonObject {
  const { name } = service;
  const isStopped = state === 'stopped';
  const error = isStopped ? undefined : service.status().error;
  const way = wayTo(scope, request, {
    tool: isStopped ? 'core_service_start' : 'core_service_restart',
    args: { name },
    otherwise: isStopped ? 'an operator can start it' : 'it is tried again; an operator can restart it',
  });
  return { name, state, ...(error !== undefined && { error: summaryOf(error, MAX_ERROR_CHARS) }), ...way };
}

function hintOf(shown: readonly Shown[], down: readonly Candidate[]): string | undefined {
  const waiting = shown.flatMap(({ service: { name }, reason, need, entry: { auth_tool: tool, remedy } }) => {
    if (reason === undefined) return [];
    const what = need === undefined ? 'it' : JSON.stringify(need);
    const lack =
      tool === undefined
        ? `cannot be used yet: ${String(remedy)}`
        : 'waits for your sign-in: run its call_tool of servers_requiring_auth, then search again';
    return [`server ${name} may have ${what}, and ${lack}`];
  });
  const away = down.map(({ service: { name }, state }) => `server ${name} is ${state}`);
  const told = away.length === 0 ? [] : [`${away.join(', ')}: see servers_unavailable`];
  const all = [...waiting, ...told];
  return all.length === 0 ? undefined : all.join('; ');
}
