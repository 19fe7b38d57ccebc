import type { Pool } from 'undici';
import type { KubeTls } from './kubeCredentials.ts';

/** Idle connections are kept that long; a new one takes ten times as long as a call. */
const MAX_IDLE_MS = 30_000;
/** Each watch has one of its own while it runs. */
const MAX_CONNECTIONS = 16;

/** Keep-alive connections: as Pegboard, and as callers, whom a client certificate would overrule. */
export class KubePools {
  readonly #server: URL;
  readonly #connectMs: number;
  readonly #pools = new Map<'own' | 'callers', { readonly tls: KubeTls; readonly pool: Promise<Pool> }>();
  /** Those that still have exchanges with former certificates. */
  readonly #former = new Set<Promise<Pool>>();
  #isClosed = false;

  constructor(server: URL, connectMs: number) {
    this.#server = server;
    this.#connectMs = connectMs;
  }

  /** Opens another one when the certificates have changed; the former one ends with its last exchange. */
  poolFor(who: 'own' | 'callers', tls: KubeTls): Promise<Pool> {
    const open = this.#pools.get(who);
    if (open?.tls === tls) return open.pool;
    if (open !== undefined) void this.#retire(open.pool);
    const pool = this.#open(who === 'own' ? tls : { ...tls, cert: undefined, key: undefined });
    this.#pools.set(who, { tls, pool });
    return pool;
  }

  async #retire(pool: Promise<Pool>): Promise<void> {
    this.#former.add(pool);
    await (await pool).close();
    this.#former.delete(pool);
  }

  async #open({ skipTlsVerify, ca, cert, key, servername }: KubeTls): Promise<Pool> {
    const { Pool: UndiciPool } = await import('undici');
    const pool = new UndiciPool(this.#server.origin, {
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: MAX_IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      connect: {
        timeout: this.#connectMs,
        rejectUnauthorized: !skipTlsVerify,
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
        ...(servername !== undefined && { servername }),
      },
    });
    if (this.#isClosed) await pool.destroy();
    return pool;
  }

  /** Ends all exchanges. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...[...this.#pools.values()].map(({ pool }) => pool), ...this.#former];
    this.#pools.clear();
    this.#former.clear();
    for (const pool of open) await (await pool).destroy();
  }
}
