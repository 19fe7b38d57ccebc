import { hostname } from 'node:os';
import { GatewayError } from 'pegboard';
import type { Log } from 'pegboard';
import { findCredentials } from '../api/findCredentials.ts';
import { KubeApi } from '../api/kubeApi.ts';
import { OwnAccess } from '../api/ownAccess.ts';
import { Pace } from '../api/pace.ts';
import type { StoreKubernetesConfig } from '../config.ts';

/** As client-go's default. */
const PER_SECOND = 20;
const BURST = 30;

/** The connection to the API server, made when it is first used. */
export class Cluster {
  readonly #config: () => StoreKubernetesConfig;
  readonly #log: Log;
  readonly access: OwnAccess;
  /** That of requests for which no caller waits: status, Events, looks at Secrets. */
  readonly pace = new Pace(PER_SECOND, BURST);
  /** Name of this process, `<host>_<pid>`; shown as the holder of the Lease and as the source of Events. */
  readonly holder = `${hostname()}_${process.pid}`;
  #api: KubeApi | undefined;
  #connecting: Promise<KubeApi> | undefined;
  #isClosed = false;

  constructor(config: () => StoreKubernetesConfig, log: Log) {
    this.#config = config;
    this.#log = log;
    this.access = new OwnAccess(log);
  }

  /** @throws GatewayError STORE_UNREACHABLE before the connection has been made */
  get api(): KubeApi {
    if (this.#api !== undefined) return this.#api;
    throw new GatewayError('STORE_UNREACHABLE', 'the Kubernetes API has not been reached yet');
  }

  /** Finds the credentials. @throws KubeError `credentials` */
  connect(): Promise<KubeApi> {
    this.#connecting ??= this.#connect().catch((error: unknown) => {
      this.#connecting = undefined;
      throw error;
    });
    return this.#connecting;
  }

  async #connect(): Promise<KubeApi> {
    const { context, requestTimeoutMs } = this.#config();
    const credentials = await findCredentials({
      env: process.env,
      ...(context !== undefined && { context }),
    });
    if (this.#isClosed) throw new GatewayError('PLUGIN_STOPPED', 'pegboard is stopping');
    this.#api = new KubeApi(credentials, {
      callMs: requestTimeoutMs,
      ended: (outcome) => this.access.ended(outcome, credentials.cure),
    });
    this.#log.info('definitions are custom resources', { server: credentials.server.origin });
    return this.#api;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#api?.close();
  }
}
