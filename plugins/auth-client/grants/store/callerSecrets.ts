import { GatewayError } from 'pegboard';
import type { Scope } from 'pegboard';
import { recentlyUsed } from '../../../kit/limits/recentlyUsed.ts';
import { Vault } from '../../../contracts/vault.ts';
import { Channel } from '../../../contracts/processes.ts';

const KIND = 'server-secret:';
const TOPIC = 'server-secret-changed';
const MAX_PLACES = 10_000;
const MAX_TRIES = 20;

/** A secret that a person has entered for one server. */
interface Secret {
  /** URL that the server had then: a definition that leads elsewhere does not get the secret. */
  readonly url: string;
  readonly value: string;
}
/** A person's secrets for one server; undefined: to be read. Forgotten when they may have changed. */
interface Known {
  readonly server: string;
  secrets: ReadonlyMap<string, Secret> | undefined;
}
/** The owner of secrets, and the server that they are for. */
export interface SecretPlace {
  readonly owner: string;
  readonly server: string;
}

/** Values of `${caller:NAME}` references: each person's own, for each server apart, in the vault. */
export class CallerSecrets {
  readonly #scope: Scope<unknown>;
  readonly #places = recentlyUsed<Known>(MAX_PLACES);
  readonly #followers = new Set<(server: string) => void>();

  /** Called in apply() only. */
  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
    const message = ({ owner, server }: Readonly<Record<string, unknown>>): void =>
      this.#doubt({ owner: String(owner), server: String(server) });
    const gap = (): void => this.#doubtAll();
    scope.each(Channel, (channel) => channel.subscribe(TOPIC, { message, gap }));
  }

  /** Calls `changed` when one may have changed. @returns the function that ends this */
  follow(changed: (server: string) => void): () => void {
    this.#followers.add(changed);
    return () => void this.#followers.delete(changed);
  }

  /** What is known without reading, by NAME; undefined: nothing. Synchronous, for each call. */
  known(place: SecretPlace, url: string): Readonly<Record<string, string>> | undefined {
    const { secrets } = this.#at(place);
    if (secrets === undefined) return undefined;
    const fitting = [...secrets].filter(([, secret]) => secret.url === url);
    return Object.fromEntries(fitting.map(([name, { value }]) => [name, value]));
  }

  /** Reads them, unless that has been done. @throws GatewayError STORE_UNREACHABLE */
  async read(place: SecretPlace): Promise<void> {
    for (let left = MAX_TRIES; left > 0; left -= 1) {
      const known = this.#at(place);
      known.secrets ??= await this.#inVault(place);
      // What has changed during the reading may be older than the change.
      if (this.#places.peek(idOf(place)) === known) return;
    }
    throw new GatewayError('STORE_UNREACHABLE', 'the secrets are written by others all the time; try again');
  }

  /** @param name NAME of the reference @param url of the server now @throws GatewayError STORE_UNREACHABLE */
  async put(place: SecretPlace, name: string, secret: Secret): Promise<void> {
    await this.#vault.set(keyOf(place, name), secret);
    this.#changed(place);
  }

  /** @returns whether there were any @throws GatewayError STORE_UNREACHABLE */
  async drop(place: SecretPlace): Promise<boolean> {
    const keys = await this.#vault.list(keyOf(place, ''));
    await Promise.all(keys.map((key) => this.#vault.delete(key)));
    // All callers' servers are looked at again after a change.
    if (keys.length > 0) this.#changed(place);
    return keys.length > 0;
  }

  /** Drops the secrets of all persons. @returns how many there were @throws GatewayError STORE_UNREACHABLE */
  async dropAll(): Promise<number> {
    const keys = await this.#vault.list(KIND);
    const dropped = await Promise.all(keys.map((key) => this.#vault.delete(key)));
    const places = new Map(keys.map(placeIn).map((place) => [idOf(place), place]));
    for (const place of places.values()) this.#changed(place);
    return dropped.filter(Boolean).length;
  }

  async #inVault(place: SecretPlace): Promise<ReadonlyMap<string, Secret>> {
    const prefix = keyOf(place, '');
    const keys = await this.#vault.list(prefix);
    const values = await Promise.all(keys.map((key) => this.#vault.get(key)));
    const found = keys.map(
      (key, at) => [key.slice(prefix.length), values[at] as Secret | undefined] as const,
    );
    return new Map(found.filter((one): one is [string, Secret] => one[1] !== undefined));
  }

  #changed(place: SecretPlace): void {
    this.#doubt(place);
    this.#scope.find(Channel)?.publish(TOPIC, { ...place });
  }
  #doubt(place: SecretPlace): void {
    this.#places.delete(idOf(place));
    for (const changed of this.#followers) changed(place.server);
  }

  #doubtAll(): void {
    const servers = new Set([...this.#places.values()].map(({ server }) => server));
    this.#places.clear();
    for (const server of servers) for (const changed of this.#followers) changed(server);
  }

  #at(place: SecretPlace): Known {
    const id = idOf(place);
    const found = this.#places.get(id);
    if (found !== undefined) return found;
    const known: Known = { server: place.server, secrets: undefined };
    this.#places.set(id, known);
    return known;
  }
  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}

/** Names of servers, owners and references have no colon. */
function idOf({ owner, server }: SecretPlace): string {
  return `${owner}:${server}`;
}
function placeIn(key: string): SecretPlace {
  const [, owner = '', server = ''] = key.split(':');
  return { owner, server };
}
function keyOf(place: SecretPlace, name: string): string {
  return `${KIND}${idOf(place)}:${name}`;
}
