import type { JsonObject } from '../../kernel/index.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Files } from '../support/directory.ts';
import { EVERYTHING, freePort } from '../support/everything.ts';
import { connectionsAt } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const EVERYTHING_STDIO = { type: 'stdio', command: [process.execPath, EVERYTHING, 'stdio'], autoStart: true };

interface Setup {
  /** Text of config.yaml. @param url of the gateway */
  readonly config?: string | ((url: string) => string);
  /** More files of its directory. */
  readonly more?: Files;
  /** Definitions by name; server-everything as `everything` if there are none given. */
  readonly servers?: Readonly<Record<string, JsonObject>>;
}

/** A gateway in a process of its own; after a restart it has the same address. */
export class Gateway {
  /** Its configuration directory. */
  readonly directory: string;
  readonly #port: number;
  #running: Pegboard;

  private constructor(directory: string, port: number, running: Pegboard) {
    this.directory = directory;
    this.#port = port;
    this.#running = running;
  }

  /** Waits until its servers are connected. */
  static async start({
    config = '',
    servers = { everything: EVERYTHING_STDIO },
    more = {},
  }: Setup = {}): Promise<Gateway> {
    const files = Object.entries(servers).map(
      ([name, definition]) => [`mcpservers/${name}.yaml`, JSON.stringify(definition)] as const,
    );
    const port = await freePort();
    const text = typeof config === 'string' ? config : config(urlAt(port));
    const { path } = makeDirectory({ 'config.yaml': text, ...Object.fromEntries(files), ...more });
    const gateway = new Gateway(path, port, await serve(path, port));
    await gateway.connected(files.length);
    return gateway;
  }

  get url(): string {
    return urlAt(this.#port);
  }

  /** Ids of the clients that have signed in since it was started. */
  get signedIn(): readonly unknown[] {
    return this.#running.lines.filter(({ text }) => text === 'signed in').map(({ client }) => client);
  }

  /** What it has logged as a warning or an error since it was started. */
  get complaints(): readonly string[] {
    return this.#running.lines
      .filter(({ level }) => level === 'warn' || level === 'error')
      .map((line) => JSON.stringify(line));
  }

  /** Waits until so many servers have connected since it was started. */
  async connected(servers: number): Promise<void> {
    const what = `${servers} servers connected`;
    await until(() => this.#connections() >= servers, { what, withinMs: 15_000 });
  }

  /** @param how its end: SIGTERM or SIGKILL */
  async restart(how: 'stop' | 'kill' = 'stop'): Promise<void> {
    const servers = this.#connections();
    await this.#running[how]();
    this.#running = await serve(this.directory, this.#port);
    await this.connected(servers);
  }

  /** Waits until a client has connected since it was started. */
  async reached(): Promise<void> {
    await until(() => connectionsAt(this.#port) > 0, { what: 'a client', withinMs: 15_000 });
  }

  #connections(): number {
    return this.#running.lines.filter(({ text }) => text === 'server connected').length;
  }
}

function urlAt(port: number): string {
  return `http://localhost:${port}`;
}
function serve(directory: string, port: number): Promise<Pegboard> {
  return servePegboard(directory, ['--port', String(port)]);
}
