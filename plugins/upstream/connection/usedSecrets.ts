import { GatewayError } from 'pegboard';
import type { SecretSource } from '../../contracts/secrets.ts';
import type { State, StatusFacts } from './serverStatus.ts';

type Texts = ReadonlyMap<string, string | undefined>;

/** The secrets of the platform with which a connection was made, or could not be made. */
export class UsedSecrets {
  readonly #byName = new Map<string, Map<string, string | undefined>>();
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** The text of each key by the secret's name; undefined for one that could not be read. */
  get all(): ReadonlyMap<string, Texts> {
    return this.#byName;
  }

  /** Another connection is begun. */
  clear(): void {
    this.#byName.clear();
  }

  /** A source that notes what it gives. */
  noting(source: SecretSource): SecretSource {
    return {
      read: async (secret, keys, options) => {
        const noted = this.#byName.get(secret.name) ?? new Map<string, string | undefined>();
        this.#byName.set(secret.name, noted);
        for (const key of keys) noted.set(key, undefined);
        const texts = await source.read(secret, keys, options);
        for (const [at, key] of keys.entries()) noted.set(key, texts[at]);
        return texts;
      },
    };
  }

  /** The connection has these texts now. */
  renew(name: string, texts: ReadonlyMap<string, string>): void {
    const noted = this.#byName.get(name);
    for (const [key, text] of texts) if (noted?.has(key) === true) noted.set(key, text);
    this.#renewedAt = performance.now();
  }

  /** When renew() was called last, by `performance.now()`. */
  get renewedAt(): number {
    return this.#renewedAt;
  }

  /** Whether the connection has another text of one of these keys. @param texts those that could be read */
  differsFrom(name: string, texts: ReadonlyMap<string, string>): boolean {
    const noted = this.#byName.get(name);
    return noted !== undefined && [...texts].some(([key, text]) => noted.has(key) && noted.get(key) !== text);
  }

  /** A source of these texts of one secret, and of what is noted of all others. @throws GatewayError STORE_NOT_FOUND */
  with(name: string, texts: ReadonlyMap<string, string>): SecretSource {
    const textOf = (secret: string, key: string): string => {
      const text = (secret === name ? texts.get(key) : undefined) ?? this.#byName.get(secret)?.get(key);
      if (text === undefined)
        throw new GatewayError('STORE_NOT_FOUND', `secret ${secret} was not read with the key ${key}`);
      return text;
    };
    return {
      read: (secret, keys) => Promise.resolve(keys).then((all) => all.map((key) => textOf(secret.name, key))),
    };
  }
}

/** A connection that may have been made with secrets. */
export interface SecretUser {
  /** The name of its server. */
  readonly server: string;
  /** Its state now. */
  readonly state: State;
  readonly dialer: {
    readonly secrets: UsedSecrets;
    refill(secret: string, texts: ReadonlyMap<string, string>): Promise<boolean>;
  };
  /** Connects anew, as after a change of the definition. */
  restart(): Promise<void>;
}

/** @param restart makes the connection anew */
export function userOf(
  server: string,
  dialer: SecretUser['dialer'],
  { status }: { readonly status: Pick<StatusFacts, 'state'> },
  restart: () => Promise<void>,
): SecretUser {
  return {
    server,
    dialer,
    get state() {
      return status.state;
    },
    restart,
  };
}
