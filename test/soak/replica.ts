import type { Directory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { servePegboard } from '../support/serve.ts';
import type { LogLine, Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const STARTED = { what: 'a process starts', withinMs: 30_000 };

export interface ReplicaOptions {
  /** Default: a key file in the directory. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A process with its port and state directory. */
export class Replica {
  readonly port: number;
  readonly #directory: Directory;
  readonly #env: Readonly<Record<string, string>>;
  #pegboard: Pegboard | undefined;
  #isEnding = false;
  hasDied = false;

  private constructor(directory: Directory, port: number, env: Readonly<Record<string, string>>) {
    this.#directory = directory;
    this.port = port;
    this.#env = { PEGBOARD_KEYS_FILE: directory.at('keys.json'), ...env };
  }

  static async start(directory: Directory, { env = {} }: ReplicaOptions = {}): Promise<Replica> {
    const replica = new Replica(directory, await freePort(), env);
    await replica.start();
    return replica;
  }

  async end(how: 'stop' | 'kill'): Promise<void> {
    this.#isEnding = true;
    await this.#pegboard?.[how]();
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** Its log since the last start. */
  get lines(): readonly LogLine[] {
    return this.#pegboard?.lines ?? [];
  }

  /** @param main program of another installation */
  async start(main?: string): Promise<void> {
    const { at, path } = this.#directory;
    const args = ['--port', String(this.port), '--state-path', at(`states/${this.port}`)];
    this.#pegboard = await servePegboard(path, args, { env: this.#env, ...(main !== undefined && { main }) });
    this.#isEnding = false;
    void this.#pegboard.exited.then(() => (this.hasDied ||= !this.#isEnding));
    await until(() => this.#isReady(), STARTED);
  }

  #isReady(): Promise<boolean> {
    return fetch(`${this.url}/ready`).then(
      async (answer) => (await answer.arrayBuffer()).byteLength > 0 && answer.ok,
      () => false,
    );
  }
}
