import { lookup } from 'node:dns/promises';
import { messageOf, waitAtMost } from 'pegboard';

const MAX_NAMES = 16;
const LOOK_UP_MS = 5_000;

/** Addresses for getHostByName. A rendering is synchronous, so when it needs an unknown name, the name is looked up
 *  and the template is rendered again from the start. */
export class HostNames {
  readonly #resolve: (name: string) => Promise<string>;
  /** The addresses known to the current rendering, and the names that it needs besides. */
  #known: ReadonlyMap<string, string | undefined> = new Map();
  #asked: string[] = [];

  constructor(resolve = addressOf) {
    this.#resolve = resolve;
  }

  /** Called by the engine. @returns undefined for a name without an address, or not looked up yet */
  readonly lookUp = (name: string): string | undefined => {
    if (!this.#known.has(name)) this.#asked.push(name);
    return this.#known.get(name);
  };

  /** @throws what `render` throws, or Error for too many names */
  async during<T>(render: () => T): Promise<T> {
    const known = new Map<string, string | undefined>();
    for (;;) {
      // Set again after each wait: another rendering may have started meanwhile.
      const asked: string[] = [];
      [this.#known, this.#asked] = [known, asked];
      try {
        return render();
      } catch (error) {
        const [name] = asked;
        if (name === undefined) throw error;
        if (known.size >= MAX_NAMES) throw tooMany(error);
        known.set(name, await this.#addressOf(name));
      }
    }
  }

  async #addressOf(name: string): Promise<string | undefined> {
    let address: string | undefined;
    const found = this.#resolve(name).then(
      (one) => void (address = one),
      () => undefined,
    );
    await waitAtMost(LOOK_UP_MS, found);
    return address;
  }
}

async function addressOf(name: string): Promise<string> {
  return (await lookup(name)).address;
}

function tooMany(cause: unknown): Error {
  const text = `a template may look up ${MAX_NAMES} names at most: ${messageOf(cause)}`;
  return new Error(text, { cause });
}
