import { LOG_LEVELS, pathBelow } from 'pegboard';
import { hiddenIn } from 'pegboard/kit';
import type { Client, McpLogLevel } from 'pegboard';
import type { Hide } from 'pegboard/contracts';
import { rawMember } from '../../../kit/text/rawJson.ts';
import type { McpLogSource } from '../../../contracts/mcp.ts';
import { clientBehind, theOneOf } from './askable.ts';
import type { Said } from '../rpc/pending.ts';

type Listener = Parameters<McpLogSource['follow']>[0];

interface Callers {
  /** The client of the last call. */
  readonly last: Client | undefined;
  /** It has made all calls. */
  readonly isOwn: boolean;
}

/** Delivers log messages of servers to clients. */
export class ServerLogs implements McpLogSource {
  readonly #listeners = new Set<Listener>();
  readonly #wanted: () => void;
  /** The level requested from servers; undefined if no client wants log messages. */
  level: McpLogLevel | undefined = undefined;

  /** @param wanted called after the level has changed */
  constructor(wanted: () => void) {
    this.#wanted = wanted;
  }

  follow(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  want(level: McpLogLevel): void {
    if (level === this.level) return;
    this.level = level;
    this.#wanted();
  }

  /** Delivers a message to the client of its call; outside of calls to all listeners. @param redact hides secrets
   *  @returns how many clients received it */
  said(server: string, said: Said, redact: Hide, { last, isOwn }: Callers): number {
    const { level } = said.params;
    if (!isLevel(level)) return 0;
    if (isOwn) {
      last?.log(level, paramsFrom(server, said, redact));
      return 1;
    }
    if (said.about.length + said.late.length === 0) {
      if (!this.#isWanted(level)) return 0;
      const told = paramsFrom(server, said, redact);
      // A client without a session has no stream but that of its call, which may still be open; see `LATE_LOG_MS`.
      if (last?.hasSession === false) last.log(level, told);
      return [...this.#listeners].reduce((count, listener) => count + listener(level, told, server), 0);
    }
    // A server may answer before it sends the messages of the call; a call that was cancelled has no other stream than the client's own.
    const client = said.about.length === 0 ? lastOf(theOneOf(said.late), last) : clientBehind(said);
    // While calls of several clients are running, the client of the message is unknown.
    if (client === undefined || typeof client === 'string') return 0;
    client.log(level, paramsFrom(server, said, redact));
    return 1;
  }

  #isWanted(level: McpLogLevel): boolean {
    return this.level !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(this.level);
  }
}

/** Without sessions, only the last call of a client may have a stream. */
function lastOf(client: Client | undefined, last: Client | undefined): Client | undefined {
  return client?.id === last?.id ? last : client;
}

function isLevel(value: unknown): value is McpLogLevel {
  return LOG_LEVELS.includes(value as McpLogLevel);
}

/** Params with the server's name in `logger`; data without secrets stay as received. */
function paramsFrom(server: string, { params, text }: Said, redact: Hide): string {
  const { level, logger } = params;
  const name = typeof logger === 'string' && logger !== '' ? `${server}/${redact(logger)}` : server;
  const data = rawMember(rawMember(text, 'params') ?? '{}', 'data') ?? 'null';
  return `{"level":${JSON.stringify(level)},"logger":${JSON.stringify(name)},"data":${shown(data, redact)}}`;
}

const MAX_LEVELS = 512;

function shown(json: string, redact: Hide): string {
  if (redact(json) === json && !/\\[u/]/.test(json)) return json;
  const data: unknown = JSON.parse(json);
  return pathBelow(data, MAX_LEVELS) === undefined ? JSON.stringify(hiddenIn(data, redact)) : 'null';
}
