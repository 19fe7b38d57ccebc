import type { Scope } from 'pegboard';
import type { Confined, Grants, InForce, Spawned } from '../contracts/servers.ts';
import { readHostGrant } from '../kit/definitions/hostGrant.ts';
import type { HostGrant } from '../kit/definitions/hostGrant.ts';
import { tlsTrusts } from '../kit/tls/tlsTrust.ts';
import type { IsolateConfig } from './config.ts';
import { HostProxy } from './hostProxy.ts';
import { Lookups } from './lookups.ts';
import { Places } from './places.ts';
import { socketFolder } from './socketFolder.ts';
import { wrong } from './mounts.ts';
import type { Kept } from './mounts.ts';

/** Places of a server that are shown as refused, and told to its log. Their names are its own words. */
const MAX_FAILURES = 20;

interface Failed {
  readonly why: string;
  readonly isRefused: boolean;
}

/** The latest process of a server. */
interface Confinements {
  /** In words, without what was refused. */
  text: string;
  /** The list that the failures belong to. */
  hosts: string;
  readonly failures: Map<string, Failed>;
  more: number;
}

/** The way of one process to the hosts that it is granted. */
export interface HostNetwork extends Required<Pick<Spawned, 'begun' | 'ended'>> {
  /** The socket of its proxy. */
  readonly path: string;
}

/** The proxies of all sandboxes, and what each server has and was refused. */
export class Networks {
  readonly #scope: Scope<IsolateConfig>;
  readonly #config: () => IsolateConfig;
  readonly #known = new Map<string, Confinements>();
  readonly #open = new Set<HostProxy>();
  readonly #lookups = new Lookups();
  readonly #places: Places;
  readonly #trust: ReturnType<ReturnType<typeof tlsTrusts>>;
  #folder: Promise<string> | undefined;

  constructor(scope: Scope<IsolateConfig>, config: () => IsolateConfig, directory: () => string) {
    this.#scope = scope;
    this.#config = config;
    this.#places = new Places(() => config().allConnections);
    const extraCaFile = (): string | undefined => config().extraCaFile;
    this.#trust = tlsTrusts({ extraCaFile, directory, log: scope.log })();
  }

  /** Notes what a process has. @param text in words */
  confined({ server, grants }: Confined, text: string): void {
    const hosts = JSON.stringify(grants.network);
    const known = this.#known.get(server);
    if (known?.hosts === hosts) known.text = text;
    else this.#known.set(server, { text, hosts, failures: new Map(), more: 0 });
  }

  /** What the latest process of a server has and was refused; undefined without one. */
  inForce(server: string): InForce | undefined {
    const known = this.#known.get(server);
    if (known === undefined) return undefined;
    const failures = [...known.failures].map(([place, { why }]) => `${place} (${why})`);
    const more = known.more > 0 ? [`and ${known.more} more`] : [];
    const vain = failures.length > 0 ? [`in vain: ${[...failures, ...more].join(', ')}`] : [];
    const refused = [...known.failures].filter(([, { isRefused }]) => isRefused);
    return { text: [known.text, ...vain].join('; '), refusedHosts: refused.map(([place]) => place) };
  }

  forget(server: string): void {
    this.#known.delete(server);
  }

  /** Opens the way of a process that is about to start. @throws GatewayError CONFIG_INVALID */
  async begin(
    { server, grants: { network } }: Pick<Confined, 'server' | 'grants'>,
    kept: Kept,
  ): Promise<HostNetwork | undefined> {
    if (!Array.isArray(network)) return undefined;
    const grants = grantsIn(network);
    let note: ((line: string) => void) | undefined;
    const proxy = new HostProxy({
      grants,
      proxies: this.#config,
      trust: this.#trust,
      resolve: (host, signal) => this.#lookups.resolve(server, host, signal),
      place: () => this.#places.take(server),
      connections: this.#config().connections,
      idleMs: this.#config().connectionIdleSeconds * 1_000,
      onFailure: (place, failed) => {
        if (this.#isNew(server, place, failed)) note?.(`isolate: ${place} is not reached: ${failed.why}`);
      },
      onFlood: () => {
        note?.('isolate: it floods the proxy to its hosts, which has ended');
        const known = this.#known.get(server);
        if (known !== undefined)
          known.text += '; its hosts are not reached any more, since it flooded the proxy';
      },
    });
    this.#folder ??= socketFolder(kept.state);
    const end = async (): Promise<void> => {
      this.#open.delete(proxy);
      await proxy.close();
    };
    const folder = await this.#folder.catch((error: unknown) => {
      this.#folder = undefined;
      throw error;
    });
    this.#open.add(proxy);
    const path = await proxy.listen(folder).catch((error: unknown) => {
      this.#open.delete(proxy);
      throw error;
    });
    // The plugin may have stopped meanwhile.
    if (this.#scope.signal.aborted) await end();
    return {
      path,
      begun: (take) => (note = take),
      ended: () => {
        end().catch((error: unknown) => this.#scope.log.error('a proxy did not close', { server, error }));
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((proxy) => proxy.close()));
    this.#open.clear();
  }

  /** Keeps a failure once, as far as there is room. */
  #isNew(server: string, place: string, failed: Failed): boolean {
    const known = this.#known.get(server);
    if (known === undefined || known.failures.has(place)) return false;
    if (known.failures.size >= MAX_FAILURES) {
      known.more += 1;
      return false;
    }
    known.failures.set(place, failed);
    return true;
  }
}

/** @throws GatewayError CONFIG_INVALID */
function grantsIn(network: Exclude<Grants['network'], string>): readonly HostGrant[] {
  return network.map((text, at) => {
    const grant = readHostGrant(text);
    if (grant !== undefined) return grant;
    throw wrong(`grants.network.${at} of the definition is not a host with its port`, 'write host:443');
  });
}
