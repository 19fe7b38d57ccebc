import { setTimeout as pause } from 'node:timers/promises';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import type { LogLine, Pegboard } from '../support/serve.ts';

/** A process over stdio starts within it, which takes Java some seconds on a busy machine. */
export const CONNECT_MS = 30_000;
/** Shorter than five seconds, within which changed tools have to show. */
const RELIST_MS = 2_000;
const TIMEOUT_S = 15;
/** The time for calls of a server that will hang; what it is asked besides has a little longer, since its process has to start first. */
const HANGING = { callTimeout: 3, timeout: 5 };

/** Pegboard in a process of its own, as packed. */
export class Gateway {
  readonly #directory: Directory;
  readonly #running: Pegboard;

  private constructor(directory: Directory, running: Pegboard) {
    this.#directory = directory;
    this.#running = running;
  }

  static async start(): Promise<Gateway> {
    const config = { plugins: { upstream: { config: { relistMs: RELIST_MS } } } };
    const directory = makeDirectory({ 'config.yaml': JSON.stringify(config), 'mcpservers/.keep': '' });
    return new Gateway(directory, await servePegboard(directory.path));
  }

  get url(): string {
    return this.#running.url;
  }

  /** @param reached its command over stdio, its url over HTTP */
  define(name: string, reached: readonly string[] | string, willHang = false): void {
    const how =
      typeof reached === 'string'
        ? { type: 'streamable-http', url: reached }
        : { type: 'stdio', command: reached, autoStart: true };
    // Each has one client, which may be asked for its roots too.
    const questions = ['elicitation', 'sampling', 'roots'];
    const limits = willHang ? HANGING : { timeout: TIMEOUT_S, callTimeout: TIMEOUT_S };
    const definition = { ...how, ...limits, questions };
    this.#directory.replace(`mcpservers/${name}.yaml`, JSON.stringify(definition));
  }
  remove(name: string): void {
    this.#directory.remove(`mcpservers/${name}.yaml`);
  }

  /** @returns what is wrong where the server is not connected in time, or nothing */
  async connected(name: string, client: McpClient, withinMs: number): Promise<string> {
    const end = performance.now() + withinMs;
    for (;;) {
      const { content, isError } = await client.callTool(`x_${name}_echo`, { message: 'up' });
      if (isError !== true) return '';
      if (performance.now() > end) return String(content[0]?.['text']);
      await pause(100);
    }
  }
  connect(): Promise<McpClient> {
    return McpClient.connect(this.url);
  }

  /** Lines above debug about a server. @param from number of lines before them */
  linesAbout(server: string, from: number): readonly LogLine[] {
    const isAbout = (line: LogLine): boolean => line.level !== 'debug' && line['server'] === server;
    return this.#running.lines.slice(from).filter(isAbout);
  }
  get lines(): number {
    return this.#running.lines.length;
  }
  stop(): Promise<unknown> {
    return this.#running.stop();
  }
}
