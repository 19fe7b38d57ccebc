import { GatewayError, isObject, messageOf } from 'pegboard';
import { hiderOf } from 'pegboard/kit';
import type { Hide } from 'pegboard/contracts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import { KubeError } from '../api/kubeError.ts';
import type { CallSecrets, SecretName, SecretReading, SecretSource } from '../../contracts/secrets.ts';
import type { Cluster } from '../store/cluster.ts';

const MAX_HIDDEN = 1_000;

/** Secrets of Kubernetes, read one by one by their names, so that the right to `get` some of them is enough. What has been read is
 *  hidden in what is recorded of calls. */
export class KubernetesSecrets implements SecretSource, CallSecrets {
  readonly #cluster: Pick<Cluster, 'connect' | 'pace'>;
  readonly #namespace: () => string;
  readonly #read = recentlyUsed<true>(MAX_HIDDEN);
  /** Requests under way, which all share who ask meanwhile. */
  readonly #asking = new Map<string, Promise<Readonly<Record<string, unknown>>>>();
  #hide: Hide | undefined;

  constructor(cluster: Pick<Cluster, 'connect' | 'pace'>, namespace: () => string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  async read(
    { name, namespace = this.#namespace() }: SecretName,
    keys: readonly string[],
    { isPatient = false }: SecretReading = {},
  ): Promise<readonly string[]> {
    const given = await this.#shared(namespace, name, isPatient);
    return keys.map((key) => {
      const value = given[key];
      const text = typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
      if (text !== '') return this.#remembered(text.replace(/\r?\n$/, ''));
      const what = value === undefined ? `has no key ${key}` : `has an empty key ${key}`;
      throw new GatewayError('STORE_NOT_FOUND', `secret ${name} in namespace ${namespace} ${what}; add it`);
    });
  }

  #shared(namespace: string, name: string, isPatient: boolean): Promise<Readonly<Record<string, unknown>>> {
    const place = `${namespace}/${name}`;
    // Who is in a hurry does not wait for the turn of a patient one.
    const key = isPatient && !this.#asking.has(place) ? `${place} patiently` : place;
    const present = this.#asking.get(key);
    if (present !== undefined) return present;
    const asking = this.#get(namespace, name, isPatient).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  hiderFor(): Hide | undefined {
    return this.#hide;
  }

  #remembered(text: string): string {
    if (!this.#read.has(text)) this.#hide = undefined;
    this.#read.set(text, true);
    this.#hide ??= hiderOf([...this.#read.keys()].map((one) => ({ name: 'secret', text: one })));
    return text;
  }

  async #get(
    namespace: string,
    name: string,
    isPatient: boolean,
  ): Promise<Readonly<Record<string, unknown>>> {
    try {
      const place = { group: '', version: 'v1', plural: 'secrets', namespace, name };
      const api = await this.#cluster.connect();
      if (isPatient) await this.#cluster.pace.turn();
      const { object } = await api.get(place);
      return isObject(object['data']) ? object['data'] : {};
    } catch (error) {
      throw faultOf(error, `secret ${name} in namespace ${namespace}`, { namespace, name });
    }
  }
}

function faultOf(
  error: unknown,
  what: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): GatewayError {
  const status = error instanceof KubeError ? error.status : 0;
  const options = { cause: error };
  if (status === 404) return new GatewayError('STORE_NOT_FOUND', `${what} not found; create it`, options);
  if (status === 403) {
    const fix = `grant the verb get on secrets with resourceNames: [${name}] by a Role and RoleBinding in ${namespace}`;
    const text = `the service account of Pegboard may not get ${what}: ${fix}`;
    return new GatewayError('STORE_FORBIDDEN', text, options);
  }
  return new GatewayError('STORE_UNREACHABLE', `${what} cannot be read now: ${messageOf(error)}`, options);
}
