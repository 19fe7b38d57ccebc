import type { BrokerConfig, BrokerTarget } from '../config.ts';

const DEFAULT_SCOPES = 'openid profile email groups';

/** A downstream identity provider that exchanges tokens. */
export interface ExchangeTarget {
  /** The audience by which clients name it. */
  readonly name: string;
  readonly endpoint: string;
  readonly expectedIssuer: string;
  readonly connectorId: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly clientId: string;
  readonly clientSecretFile: string;
}

/** The targets that a client may have. */
export class Targets {
  readonly #byName: ReadonlyMap<string, ExchangeTarget>;
  readonly #namesByClient: ReadonlyMap<string, readonly string[]>;

  constructor({ targets, clientAudiences }: Pick<BrokerConfig, 'targets' | 'clientAudiences'>) {
    const usable = Object.entries(targets).flatMap(([name, target]) => exchangeTarget(name, target) ?? []);
    this.#byName = new Map(usable.map((target) => [target.name, target]));
    this.#namesByClient = new Map(Object.entries(clientAudiences));
  }

  /** Undefined if there is none, or not for this client. */
  find(clientId: string, name: string): ExchangeTarget | undefined {
    return this.#namesByClient.get(clientId)?.includes(name) === true ? this.#byName.get(name) : undefined;
  }
}

/** Undefined for the grant form, and without credentials. */
function exchangeTarget(name: string, target: BrokerTarget): ExchangeTarget | undefined {
  const { idpTokenEndpoint: endpoint, connectorId, clientId, clientSecretFile } = target;
  if (endpoint === undefined || connectorId === undefined) return undefined;
  if (clientId === undefined || clientSecretFile === undefined) return undefined;
  const scopes = scopesIn(target.scopes ?? '').join(' ');
  return {
    ...{ name, endpoint, connectorId, clientId, clientSecretFile },
    expectedIssuer: withoutSlash(target.expectedIssuer ?? '') || issuerOf(endpoint),
    scopes: scopes === '' ? DEFAULT_SCOPES : scopes,
  };
}

/** Source: requirement broker.exchangeForm */
function issuerOf(endpoint: string): string {
  const address = endpoint.replace(/\?.*/, '');
  return withoutSlash(withoutSlash(address).replace(/\/token$/, ''));
}

/** Without a regular expression: one would need hours for a million slashes. */
export function withoutSlash(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}

export function scopesIn(text: string): readonly string[] {
  return [...new Set(text.split(/\s+/).filter((scope) => scope !== ''))];
}
