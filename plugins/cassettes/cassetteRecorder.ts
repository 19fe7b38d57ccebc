import { isDeepStrictEqual } from 'node:util';
import { join, resolve } from 'node:path';
import { isGatewayError } from 'pegboard';
import type {
  Call,
  CallOutcome,
  CallResult,
  InboundRequest,
  Log,
  SettledCall,
  Tool,
  ToolTable,
} from 'pegboard';
import type { Hide, Secret } from 'pegboard/contracts';
import { compileGlob } from '../kit/text/glob.ts';
import type { Glob } from '../kit/text/glob.ts';
import type { CallSecrets } from '../contracts/secrets.ts';
import { Cassette } from './cassette.ts';
import type { RecordConfig } from './config.ts';
import { hideInJson, recordingHider } from './hide.ts';

const MAX_NAMES = 100_000;

export interface RecorderParts {
  readonly log: Log;
  readonly table: () => ToolTable;
  /** Providers that hide sensitive arguments of callers. */
  readonly callSecrets: () => readonly CallSecrets[];
  /** Base directory of a relative `directory`. */
  readonly directory: () => string;
}
export type SecretsByServer = ReadonlyMap<string, readonly Secret[]>;

interface Deck {
  readonly cassette: Cassette;
  /** Generation of the tool table from which `head` was created. */
  generation: number;
  head: string | undefined;
}

/** Records servers' answers to tool calls, one cassette for each server. */
export class CassetteRecorder {
  readonly #parts: RecorderParts;
  #config: RecordConfig;
  #matchers: readonly Glob[];
  #secrets: SecretsByServer = new Map();
  /** The former secrets: calls that received them may still be running. */
  #formerSecrets: SecretsByServer = new Map();
  #hide: Hide;
  /** Exposed names of servers' tools, former ones included. */
  readonly #names = new Set<string>();
  readonly #deckByServer = new Map<string, Deck>();

  constructor(config: RecordConfig, parts: RecorderParts) {
    this.#parts = parts;
    this.#config = config;
    this.#matchers = config.servers.map((pattern) => compileGlob(pattern));
    this.#hide = recordingHider([], config.redact);
  }

  adopt(next: RecordConfig): void {
    this.#config = next;
    this.#matchers = next.servers.map((pattern) => compileGlob(pattern));
    this.#hideAnew();
  }

  get secrets(): SecretsByServer {
    return this.#secrets;
  }

  register(tool: Tool): Tool {
    if (tool.server !== undefined) this.#names.add(tool.name);
    const [oldest] = this.#names;
    if (this.#names.size > MAX_NAMES && oldest !== undefined) this.#names.delete(oldest);
    return tool;
  }

  /** @param secrets of all servers: one server may receive another's */
  learn(secrets: SecretsByServer): void {
    if (isDeepStrictEqual(secrets, this.#secrets)) return;
    this.#formerSecrets = this.#secrets;
    this.#secrets = secrets;
    this.#hideAnew();
  }

  take(settled: SettledCall): void {
    const { call } = settled;
    const { server, declared } = call.tool;
    if (server === undefined || declared === undefined) return;
    const own = String(declared['name']);
    const answer = answerIn(settled, { own, server });
    if (answer === undefined || !this.#matchers.some((matches) => matches(server))) return;
    const deck = this.#deckOf(server);
    const head = this.#headOf(server, deck, call.request);
    const line = this.#lineOf(own, call, answer);
    if (head !== undefined && line !== undefined) deck.cassette.add(head, line);
    else deck.cassette.skip('it has a secret that cannot be hidden in its place, or is nested too deeply');
  }

  #hideAnew(): void {
    const secrets = [this.#secrets, this.#formerSecrets].flatMap((byServer) => [...byServer.values()].flat());
    this.#hide = recordingHider(secrets, this.#config.redact);
    this.#deckByServer.clear();
  }

  #deckOf(server: string): Deck {
    const known = this.#deckByServer.get(server);
    if (known !== undefined) return known;
    const { directory, maxCassetteBytes } = this.#config;
    const file = join(resolve(this.#parts.directory(), directory), `${server}.jsonl`);
    const log = this.#parts.log.child({ server });
    const deck: Deck = {
      cassette: new Cassette(file, maxCassetteBytes, log),
      generation: -1,
      head: undefined,
    };
    this.#deckByServer.set(server, deck);
    return deck;
  }

  /** The first line: the server's name, and its tools as it declares them to the caller. */
  #headOf(server: string, deck: Deck, request: InboundRequest): string | undefined {
    const { generation } = this.#parts.table();
    if (deck.generation === generation) return deck.head;
    const tools = this.#toolsOf(server, request);
    deck.generation = generation;
    deck.head = hideInJson(JSON.stringify({ cassette: 1, server, tools }), this.#hide);
    return deck.head;
  }

  #toolsOf(server: string, request: InboundRequest): readonly unknown[] {
    return [...this.#names].flatMap((name) => {
      const tool = this.#parts.table().declared(name, request);
      const members = tool === undefined ? [] : (tool.members ?? [tool]);
      return members.filter((member) => member.server === server).map(({ declared }) => declared);
    });
  }

  #lineOf(tool: string, call: Call, [kind, json]: Answer): string | undefined {
    const hide = this.#hiderFor(call);
    const asked = hideInJson(JSON.stringify(call.args), hide);
    const answered = hideInJson(json, hide);
    if (asked === undefined || answered === undefined) return undefined;
    const name = JSON.stringify(this.#hide(tool));
    // Only line breaks between values: within strings they are escaped.
    const oneLine = answered.replace(/[\r\n]+/g, ' ');
    return `{"tool":${name},"arguments":${asked},"${kind}":${oneLine}}`;
  }

  #hiderFor(call: Call): Hide {
    const given = this.#parts.callSecrets().flatMap((source) => source.hiderFor(call) ?? []);
    return given.length === 0
      ? this.#hide
      : (text) => given.reduce((rest, hide) => hide(rest), this.#hide(text));
  }
}

/** A stored result of an idempotency key: the server was not called. */
function isReplayed(result: CallResult): boolean {
  return result.json.includes('"pegboard.dev/replayed":true');
}

type Answer = readonly ['result' | 'error', string];

/** @returns undefined if the answer is not the server's: replayed for a key, refused before the call, or connection lost */
function answerIn(how: CallOutcome, { own, server }: { own: string; server: string }): Answer | undefined {
  if (how.outcome === 'ok') return isReplayed(how.result) ? undefined : ['result', how.result.json];
  const { error } = how;
  if (!isGatewayError(error) || error.code !== 'UPSTREAM_ERROR') return undefined;
  const { code, data } = error.details;
  // The prefix of the server's own message.
  const head = `tool ${own} of server ${server} failed: `;
  const message = error.message.startsWith(head) ? error.message.slice(head.length) : error.message;
  return ['error', JSON.stringify({ code, message, data })];
}
