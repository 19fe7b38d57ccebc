import { GatewayError, HIDDEN, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { CallHistory, EndedCall } from '../contracts/callHistory.ts';
import { excerpt } from '../kit/pages/excerpt.ts';
import type { Excerpt } from '../kit/pages/excerpt.ts';
import { callFilter } from './callFilter.ts';
import type { CallHistoryConfig } from './config.ts';
import type { History } from './history.ts';
import type { Gap, KeptCall } from './keptCall.ts';
import type { CallPlace, IndexedCall, Segments } from './segments.ts';

/** A call as pages show it. */
export interface ShownCall extends Omit<KeptCall, 'at' | 'request' | 'transport'> {
  readonly id: string;
  /** RFC 3339: when it ended. */
  readonly ended: string;
  readonly request?: string;
  readonly transport?: string;
}
export interface CallList {
  /** The newest first. */
  readonly calls: Excerpt<ShownCall>;
  /** How many of all that the filter lets pass have failed. */
  readonly errors: number;
  readonly known: Readonly<Record<'servers' | 'tools' | 'persons' | 'codes', readonly string[]>>;
  readonly gaps: readonly Gap[];
}
interface Place extends CallPlace {
  /** Index of the call in its segment. */
  readonly index: number;
}

const MAX_KNOWN = 200;

/** What the pages read of the history. */
export class KeptCalls implements CallHistory {
  readonly #history: History;
  readonly #segments: Segments;
  readonly #config: () => CallHistoryConfig;

  constructor(history: History, segments: Segments, config: () => CallHistoryConfig) {
    this.#history = history;
    this.#segments = segments;
    this.#config = config;
  }

  /** @param query as `callFilter` reads it, and `from` @throws GatewayError TOOL_ARGUMENTS */
  async list(query: URLSearchParams): Promise<CallList> {
    const passes = callFilter(query);
    await this.#history.settled();
    const { found, known } = this.#find(passes);
    const part = excerpt(found, query);
    return {
      calls: { ...part, items: await this.#shown(part.items) },
      errors: found.reduce((sum, { call: { code } }) => sum + (code === 'ok' ? 0 : 1), 0),
      known,
      gaps: this.#history.gaps().filter(({ until }) => until >= this.#oldest()),
    };
  }

  /** @throws GatewayError REQUEST_NOT_FOUND */
  async get(id: string): Promise<ShownCall> {
    const shown = await this.#kept(id);
    if (shown === undefined) throw notKept();
    return shown;
  }

  async ended(since: number, until: number): Promise<readonly EndedCall[]> {
    await this.#history.settled();
    const { found } = this.#find(({ at }) => at >= since && at < until);
    return found.map(({ call: { at, server, code, ms, isRefused } }) => ({
      at,
      server,
      isError: code !== 'ok',
      ms: isRefused ? undefined : ms,
    }));
  }

  /** @throws GatewayError REQUEST_NOT_FOUND for a text that is not the id of a call */
  async argumentsOf(id: string, tool: string): Promise<JsonObject | undefined> {
    const call = await this.#kept(id);
    return call?.args === undefined || call.tool !== tool ? undefined : wholeArguments(call.args);
  }

  /** Undefined if it is forgotten. */
  async #kept(id: string): Promise<ShownCall | undefined> {
    await this.#history.settled();
    const [, name = '', index = ''] = /^(\d{13}-[0-9a-f]{8})-(\d{1,9})$/.exec(id) ?? [];
    if (name === '') throw notKept();
    const segment = this.#segments.all().find((one) => one.name === `calls-${name}.jsonl`);
    const call = segment?.calls[Number(index)];
    const place = segment && call && { segment, index: Number(index), call };
    const [shown] = await this.#shown(place === undefined ? [] : [place]);
    return shown;
  }

  /** The newest first. */
  #find(passes: (call: IndexedCall) => boolean): { found: readonly Place[]; known: CallList['known'] } {
    const oldest = this.#oldest();
    const found: Place[] = [];
    const names = new Names();
    for (const segment of [...this.#segments.all()].reverse())
      for (let index = segment.calls.length - 1; index >= 0; index -= 1) {
        const call = segment.calls[index];
        if (call === undefined || call.at < oldest) continue;
        names.add(call);
        if (passes(call)) found.push({ segment, index, call });
      }
    // Two processes may have written at the same time.
    found.sort((one, other) => other.call.at - one.call.at);
    return { found, known: names.all() };
  }

  #oldest(): number {
    return Date.now() - this.#config().keepSeconds * 1_000;
  }

  async #shown(places: readonly Place[]): Promise<readonly ShownCall[]> {
    const lines = await this.#segments.read(places);
    return places.map(({ segment, index, call }, at) => {
      const id = `${segment.name.slice('calls-'.length, -'.jsonl'.length)}-${String(index)}`;
      const { ms, tool, code, server, session } = call;
      const known = { ms, tool, code, ...(server !== undefined && { server }), ...(session && { session }) };
      const { at: ended, ...facts } = lines[at] ?? { ...known, at: call.at };
      return { id, ended: new Date(ended).toISOString(), ...facts };
    });
  }
}

function notKept(): GatewayError {
  const text = 'this call is not kept any more; the history keeps the last day, within its size';
  return new GatewayError('REQUEST_NOT_FOUND', text);
}

/** The arguments, unless they were cut or are too large. */
export function wholeArguments(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether something in it was hidden. */
export function isPartlyHidden(value: unknown): boolean {
  return JSON.stringify(value).includes(HIDDEN);
}

/** What the filters suggest. */
class Names {
  readonly #sets = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()] as const;

  add({ server, tool, who, code }: IndexedCall): void {
    const [servers, tools, persons, codes] = this.#sets;
    put(servers, server);
    put(tools, tool);
    put(persons, who);
    put(codes, code);
  }

  all(): CallList['known'] {
    const [servers = [], tools = [], persons = [], codes = []] = this.#sets.map((set) => [...set].sort());
    return { servers, tools, persons, codes };
  }
}

function put(names: Set<string>, name: string | undefined): void {
  if (name !== undefined && names.size < MAX_KNOWN) names.add(name);
}
