import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from 'pegboard';

/** The session of this user at a gateway, so that a later verb sees the runs and results of an earlier one: without a sign-in
 *  they belong to the session. Mode 0600: its holder acts as its owner. */
export class RememberedSession {
  readonly #folder: string;
  readonly #file: string;
  readonly #url: string;

  constructor(directory: string, url: string) {
    this.#folder = join(directory, 'state');
    this.#file = join(this.#folder, 'command-line-sessions.json');
    this.#url = url;
  }

  async id(): Promise<string | undefined> {
    const id = (await this.#all())[this.#url];
    return typeof id === 'string' ? id : undefined;
  }

  /** Without a writable folder, each verb has a session of its own. */
  async remember(id: string): Promise<void> {
    const text = JSON.stringify({ ...(await this.#all()), [this.#url]: id });
    const draft = `${this.#file}.${process.pid}.tmp`;
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, this.#file);
    } catch {
      return;
    }
  }

  async #all(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#file, 'utf8'));
      return isObject(value) ? value : {};
    } catch {
      return {};
    }
  }
}
