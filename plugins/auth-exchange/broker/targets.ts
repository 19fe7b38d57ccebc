import type { BrokerConfig, BrokerTarget } from '../config.ts';
import { formOf } from '../../kit/oauth/exchangeTarget.ts';
import type { ExchangeTarget, TargetClient } from '../../kit/oauth/exchangeTarget.ts';

/** An authorization server that persons have granted access at. */
export interface GrantTarget {
  readonly name: string;
  readonly grantIssuer: string;
}
export type UsableTarget = ExchangeTarget | GrantTarget;

/** The targets that a client may have. Clients name them by audience. */
export class Targets {
  readonly #byName: ReadonlyMap<string, UsableTarget>;
  readonly #namesByClient: ReadonlyMap<string, readonly string[]>;

  constructor({ targets, clientAudiences }: Pick<BrokerConfig, 'targets' | 'clientAudiences'>) {
    const usable = Object.entries(targets).flatMap(([name, target]) => usableTarget(name, target) ?? []);
    this.#byName = new Map(usable.map((target) => [target.name, target]));
    this.#namesByClient = new Map(Object.entries(clientAudiences));
  }

  /** Undefined if there is none, or not for this client. */
  find(clientId: string, name: string): UsableTarget | undefined {
    return this.#namesByClient.get(clientId)?.includes(name) === true ? this.#byName.get(name) : undefined;
  }
}

/** Undefined without credentials. */
function usableTarget(name: string, target: BrokerTarget): UsableTarget | undefined {
  const { grantIssuer } = target;
  return grantIssuer === undefined ? exchangeTarget(name, target) : { name, grantIssuer };
}

function exchangeTarget(name: string, target: BrokerTarget): ExchangeTarget | undefined {
  const { idpTokenEndpoint: endpoint } = target;
  const client = clientOf(target);
  if (endpoint === undefined || client === undefined) return undefined;
  return { ...formOf(target), name, endpoint, client };
}

function clientOf({
  clientCredentialsSecretRef: ref,
  clientId: id,
  clientSecretFile: file,
}: BrokerTarget): TargetClient | undefined {
  return ref ?? (id === undefined || file === undefined ? undefined : { id, secret: { file } });
}
