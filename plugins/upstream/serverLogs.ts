import { LOG_LEVELS, rawMember } from 'pegboard';
import type { Client, McpLogLevel, McpLogSource } from 'pegboard';
import type { Said } from './requests.ts';

type Listener = (level: McpLogLevel, params: string) => void;

/** Log messages of all servers on their way to clients. */
export class ServerLogs implements McpLogSource {
  readonly #listeners = new Set<Listener>();
  readonly #wanted: () => void;
  /** What servers are asked for; undefined: nobody wants any. */
  level: McpLogLevel | undefined = undefined;

  /** @param wanted the level is another one now */
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

  /** To the client of the call that it belongs to; outside of calls to all. */
  said(server: string, { params, text, about }: Said): void {
    const { level } = params;
    if (!LOG_LEVELS.includes(level as McpLogLevel)) return;
    const clients = clientsOf(about.map(({ client }) => client));
    // Between calls of different people nothing says whose message it is.
    if (clients.some(({ subject }) => subject !== clients[0]?.subject)) return;
    const told = paramsFrom(server, params['logger'], text, level as McpLogLevel);
    for (const client of clients) client.log(level as McpLogLevel, told);
    if (clients.length === 0) for (const listener of this.#listeners) listener(level as McpLogLevel, told);
  }
}

function clientsOf(all: readonly (Client | undefined)[]): readonly Client[] {
  const byId = new Map<string, Client>();
  for (const client of all) if (client !== undefined) byId.set(client.id, client);
  return [...byId.values()];
}

/** Made anew, for the server's name in it; the data are passed on as they came. */
function paramsFrom(server: string, logger: unknown, text: string, level: McpLogLevel): string {
  const name = typeof logger === 'string' && logger !== '' ? `${server}/${logger}` : server;
  const data = rawMember(rawMember(text, 'params') ?? '{}', 'data') ?? 'null';
  return `{"level":"${level}","logger":${JSON.stringify(name)},"data":${data}}`;
}
