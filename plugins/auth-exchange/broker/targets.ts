import type { BrokerConfig, BrokerTarget } from '../config.ts';
import type { ExchangeTarget } from '../shared/exchangeTarget.ts';

/** The targets that a client may have. Clients name them by audience. */
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
  const {
    idpTokenEndpoint: endpoint,
    connectorId,
    clientId,
    clientSecretFile: file,
    expectedIssuer,
    scopes,
  } = target;
  if (endpoint === undefined || connectorId === undefined) return undefined;
  if (clientId === undefined || file === undefined) return undefined;
  return {
    ...{ name, endpoint, connectorId, clientId, clientSecret: { file } },
    ...(expectedIssuer !== undefined && { expectedIssuer }),
    ...(scopes !== undefined && { scopes }),
  };
}
