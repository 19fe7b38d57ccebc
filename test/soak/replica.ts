import type { Directory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const STARTED = { what: 'a process starts', withinMs: 30_000 };

/** A process with its port and state directory. */
export class Replica {
  readonly port: number;
  readonly #directory: Directory;
  #pegboard: Pegboard | undefined;
  #isEnding = false;
  hasDied = false;

  private constructor(directory: Directory, port: number) {
    this.#directory = directory;
    this.port = port;
  }

  static async start(directory: Directory): Promise<Replica> {
    const replica = new Replica(directory, await freePort());
    await replica.start();
    return replica;
  }

  async end(how: 'stop' | 'kill'): Promise<void> {
    this.#isEnding = true;
    await this.#pegboard?.[how]();
  }

  async start(): Promise<void> {
    const { at, path } = this.#directory;
    const args = ['--port', String(this.port), '--state-path', at(`states/${this.port}`)];
    this.#pegboard = await servePegboard(path, args, { env: { PEGBOARD_KEYS_FILE: at('keys.json') } });
    this.#isEnding = false;
    void this.#pegboard.exited.then(() => (this.hasDied ||= !this.#isEnding));
    await until(() => this.#isReady(), STARTED);
  }

  #isReady(): Promise<boolean> {
    return fetch(`http://localhost:${this.port}/ready`).then(
      async (answer) => (await answer.arrayBuffer()).byteLength > 0 && answer.ok,
      () => false,
    );
  }
}
