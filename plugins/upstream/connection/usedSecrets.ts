import { GatewayError } from 'pegboard';
import type { SecretName, SecretSource } from '../../contracts/secrets.ts';
import type { State, StatusFacts } from './serverStatus.ts';

/** A secret by a name that also tells its namespace, if that is not the one of most definitions. */
export function secretNameIn(key: string): SecretName {
  const [name = '', namespace] = key.split('/').reverse();
  return { name, ...(namespace !== undefined && { namespace }) };
}

type Texts = ReadonlyMap<string, string | undefined>;

/** The secrets of the platform with which a connection was made, or could not be made. */
export class UsedSecrets {
  /** Keyed by name; those of another namespace by `NAMESPACE/NAME`. */
  readonly #byName = new Map<string, Map<string, string | undefined>>();
  #namespace: string | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** The text of each key by the secret's name; undefined for one that could not be read. */
  get all(): ReadonlyMap<string, Texts> {
    return this.#byName;
  }

  /** Another connection is begun. @param namespace where its secrets are; undefined: where those of most definitions are */
  clear(namespace?: string): void {
    this.#namespace = namespace;
    this.#byName.clear();
  }

  /** A source that notes what it gives. */
  noting(source: SecretSource): SecretSource {
    return {
      read: async ({ name }, keys, options) => {
        const secret = this.#keyOf(name);
        const noted = this.#byName.get(secret) ?? new Map<string, string | undefined>();
        this.#byName.set(secret, noted);
        for (const key of keys) noted.set(key, undefined);
        const texts = await source.read(secretNameIn(secret), keys, options);
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
      read: (secret, keys) =>
        Promise.resolve(keys).then((all) => all.map((key) => textOf(this.#keyOf(secret.name), key))),
    };
  }

  #keyOf(name: string): string {
    return this.#namespace === undefined ? name : `${this.#namespace}/${name}`;
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
