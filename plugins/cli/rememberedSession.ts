import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from 'pegboard';
import { writePrivate } from './files.ts';

/** The session of this user at a gateway, so that a later verb sees the runs and results of an earlier one: without a sign-in
 *  they belong to the session. Mode 0600: its holder acts as its owner. */
export class RememberedSession {
  readonly #file: string;
  readonly #url: string;

  constructor(directory: string, url: string) {
    this.#file = join(directory, 'state', 'command-line-sessions.json');
    this.#url = url;
  }

  async id(): Promise<string | undefined> {
    const id = (await this.#all())[this.#url];
    return typeof id === 'string' ? id : undefined;
  }

  /** Keeps the id. If the folder cannot be written, each verb has a session of its own. */
  async remember(id: string): Promise<void> {
    const text = JSON.stringify({ ...(await this.#all()), [this.#url]: id });
    await writePrivate(this.#file, text).catch(() => undefined);
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
