import { isDeepStrictEqual } from 'node:util';
import { join, resolve } from 'node:path';
import { compileGlob, isGatewayError } from 'pegboard';
import type {
  Call,
  CallOutcome,
  CallResult,
  Glob,
  Hide,
  Log,
  Secret,
  SettledCall,
  Tool,
  ToolTable,
} from 'pegboard';
import type { CallSecrets } from '../workflow/contract.ts';
import { Cassette } from './cassette.ts';
import type { RecordConfig } from './config.ts';
import { hideInJson, recordingHider } from './hide.ts';

export interface RecorderParts {
  readonly log: Log;
  readonly table: () => ToolTable;
  /** What callers gave in confidence. */
  readonly callSecrets: () => readonly CallSecrets[];
  /** A relative path of the cassettes starts there. */
  readonly directory: () => string;
}
export type SecretsByServer = ReadonlyMap<string, readonly Secret[]>;

interface Deck {
  readonly cassette: Cassette;
  /** Of the tool table that `head` was made from. */
  generation: number;
  head: string | undefined;
}

/** Writes what servers answer to calls of their tools, one cassette for each server. */
export class CassetteRecorder {
  readonly #parts: RecorderParts;
  #config: RecordConfig;
  #matchers: readonly Glob[];
  #secrets: SecretsByServer = new Map();
  /** Calls may still be under way to whom those were given. */
  #formerSecrets: SecretsByServer = new Map();
  #hide: Hide;
  /** Names of the catalogue under which servers' tools have stood. */
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
    return tool;
  }

  /** @param secrets of all servers: one may be told another's */
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
    const head = this.#headOf(server, deck);
    const line = this.#lineOf(own, call, answer);
    if (head !== undefined && line !== undefined) deck.cassette.add(head, line);
    else
      deck.cassette.skip(
        'it holds something to hide in a place where that cannot be done, or is nested too deeply',
      );
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

  /** The first line: which server it is, and its tools as it declares them. */
  #headOf(server: string, deck: Deck): string | undefined {
    const { generation } = this.#parts.table();
    if (deck.generation === generation) return deck.head;
    const tools = this.#toolsOf(server);
    deck.generation = generation;
    deck.head = hideInJson(JSON.stringify({ cassette: 1, server, tools }), this.#hide);
    return deck.head;
  }

  #toolsOf(server: string): readonly unknown[] {
    return [...this.#names].flatMap((name) => {
      const tool = this.#parts.table().find(name);
      if (tool === undefined) this.#names.delete(name);
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
    // Line breaks between values, which no string holds as such.
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

/** Kept under an idempotency key: the server has not answered this time. */
function isReplayed(result: CallResult): boolean {
  return result.json.includes('"pegboard.dev/replayed":true');
}

type Answer = readonly ['result' | 'error', string];

/** @returns undefined when it is not the server's: kept under a key, refused before the call, or the connection broke */
function answerIn(how: CallOutcome, { own, server }: { own: string; server: string }): Answer | undefined {
  if (how.outcome === 'ok') return isReplayed(how.result) ? undefined : ['result', how.result.json];
  const { error } = how;
  if (!isGatewayError(error) || error.code !== 'UPSTREAM_ERROR') return undefined;
  const { code, data } = error.details;
  // What stands before the server's own words.
  const head = `tool ${own} of server ${server} failed: `;
  const message = error.message.startsWith(head) ? error.message.slice(head.length) : error.message;
  return ['error', JSON.stringify({ code, message, data })];
}
