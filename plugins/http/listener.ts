import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError, messageOf, waitAtMost } from 'pegboard';
import type { Log } from 'pegboard';
import type { HttpConfig } from './config.ts';
import { openPlace } from './listenPlace.ts';
import type { ListenPlace } from './listenPlace.ts';

type Left = (sockets: ReadonlySet<Socket>) => void;

/** The addresses that it listens on; `localhost` means both loopback addresses, because clients resolve it to either. */
export class Listener {
  readonly #handler: RequestListener;
  readonly #log: Log;
  #config: HttpConfig;
  #places: readonly ListenPlace[] = [];
  /** The places that were opened for this process: they cannot be opened again, so they stay until the end. */
  #inherited: readonly ListenPlace[] = [];
  /** The settings in whose place the inherited ones are served. */
  #first: HttpConfig;
  /** Whether it has opened those itself. */
  #isShared = false;
  /** The port before it was shut. */
  #lastPort: number | undefined;
  /** Places that were left and still have running requests. */
  readonly #leaving = new Map<ListenPlace, Promise<void>>();

  private constructor(config: HttpConfig, handler: RequestListener, log: Log) {
    this.#config = config;
    this.#first = config;
    this.#handler = handler;
    this.#log = log;
  }

  /** @param inherited sockets that listen already; other settings of host and port count, until they are as now again
   *  @throws GatewayError PLUGIN_START naming the address and the fix */
  static async open(
    config: HttpConfig,
    handler: RequestListener,
    log: Log,
    inherited: readonly number[],
  ): Promise<Listener> {
    const listener = new Listener(config, handler, log);
    listener.#inherited = await listener.#takeOn(inherited);
    listener.#places = inherited.length > 0 ? listener.#inherited : await listener.#openAny(config);
    return listener;
  }

  get port(): number {
    return this.#places[0]?.port ?? this.#lastPort ?? this.#config.port;
  }
  get addresses(): readonly string[] {
    return this.#places.map(({ address }) => address);
  }
  /** Open connections of clients. */
  get connections(): number {
    const places = new Set([...this.#places, ...this.#leaving.keys()]);
    return [...places].reduce((sum, { sockets }) => sum + sockets.size, 0);
  }
  /** Whether it listens on sockets that another process has opened. */
  get isInherited(): boolean {
    return this.#places.some((place) => this.#inherited.includes(place));
  }
  get isShut(): boolean {
    return this.#places.length === 0;
  }

  /** Other processes accept at these sockets too. @returns their descriptors */
  share(): readonly number[] {
    // Those that it has left for now would be closed, and could not be opened again.
    if (this.isShut) return descriptorsOf(this.#inherited);
    const former = this.#inherited.filter((place) => !this.#places.includes(place));
    this.#inherited = this.#places;
    this.#first = this.#config;
    this.#isShared = true;
    for (const place of former) {
      this.#leaving.delete(place);
      this.#leave(place);
    }
    return descriptorsOf(this.#places);
  }

  /** Accepts no more connections; running requests are answered. @param left as for move */
  shut(left: Left): void {
    this.#lastPort = this.port;
    for (const place of this.#places) this.#leave(place, left);
    this.#places = [];
  }

  /** Opens the place that it had before it was shut. @throws GatewayError PLUGIN_START; it stays shut then */
  async reopen(): Promise<void> {
    const config = { ...this.#config, port: this.port };
    this.#use(
      this.#isAsFirst(this.#config) ? this.#inherited : await this.#openAll(config, this.#heldFor(config)),
    );
  }

  /** Applies new limits and a new place. The new place opens before the old one closes; running requests continue there.
   *  @param left called with the sockets of the old place, while they are open
   *  @throws GatewayError PLUGIN_START; the old place then stays open */
  async move(next: HttpConfig, left: Left): Promise<void> {
    const before = this.#places;
    const wasInherited = this.isInherited;
    const isSamePort = next.port === this.#config.port;
    const kept = before.filter(({ address }) => isSamePort && addressesOf(next).includes(address));
    try {
      const held = kept.length > 0 ? kept : this.#heldFor(next);
      this.#use(this.#isAsFirst(next) ? this.#inherited : await this.#openAll(next, held));
    } catch (error) {
      if (!isSamePort || kept.length > 0 || wasInherited) throw error;
      this.#places = await this.#takeOver(next, error, left);
    }
    this.#config = next;
    for (const place of this.#places) place.tune(next);
    for (const place of before) if (!this.#places.includes(place)) this.#leave(place, left);
    const isLeft = before.some((place) => this.#inherited.includes(place) && !this.#places.includes(place));
    if (this.#isShared || !isLeft) return;
    const fix = 'until they are written anew (pegboard service install), clients are refused at them';
    this.#log.warn(`sockets that another process has opened are left; ${fix}`);
  }

  /** Until it is closed, each response closes its connection. */
  drain(): void {
    for (const place of this.#places) place.drain();
  }

  /** Stops accepting, waits up to graceMs for running requests, then closes the remaining connections. */
  async close(graceMs: number): Promise<void> {
    const places = new Set([...this.#places, ...this.#inherited, ...this.#leaving.keys()]);
    const leave = async (place: ListenPlace): Promise<void> => {
      await place.calm();
      await place.leave();
    };
    const left = Promise.all([...places].map(leave));
    await waitAtMost(graceMs, left);
    for (const place of places) place.cut();
    await left;
  }

  #isAsFirst({ host, port }: HttpConfig): boolean {
    return this.#inherited.length > 0 && host === this.#first.host && port === this.#first.port;
  }

  /** Inherited places at an address and the port of these settings. */
  #heldFor(config: HttpConfig): readonly ListenPlace[] {
    return this.#inherited.filter(
      ({ address, port }) => port === config.port && addressesOf(config).includes(address),
    );
  }

  #use(places: readonly ListenPlace[]): void {
    this.#places = places;
    for (const place of places) place.resume();
  }

  /** @throws GatewayError PLUGIN_START */
  async #takeOn(inherited: readonly number[]): Promise<readonly ListenPlace[]> {
    const parts = { config: this.#config, handler: this.#handler, log: this.#log };
    return Promise.all(
      inherited.map((fd) =>
        openPlace({ fd }, parts).catch((error: unknown) => {
          const text = `file descriptor ${fd} of LISTEN_FDS cannot be listened on: ${messageOf(error)}`;
          throw new GatewayError('PLUGIN_START', text, { cause: error });
        }),
      ),
    );
  }

  /** @throws GatewayError PLUGIN_START */
  async #openAny(config: HttpConfig): Promise<readonly ListenPlace[]> {
    try {
      return await this.#openAll(config, []);
    } catch (error) {
      if (!config.anyPort || !isTaken(error)) throw error;
      const places = await this.#openAll({ ...config, port: 0 }, []);
      this.#log.info('another process has the port; a free one is used', {
        port: config.port,
        used: places[0]?.port,
      });
      return places;
    }
  }

  /** This listener itself may occupy the port under another address: `localhost` and 0.0.0.0 exclude each other.
   *  @throws GatewayError PLUGIN_START after the old place is open again */
  async #takeOver(next: HttpConfig, refused: unknown, left: Left): Promise<readonly ListenPlace[]> {
    for (const place of this.#places) this.#leave(place, left);
    try {
      return await this.#openAll({ ...next, port: this.port }, []);
    } catch {
      this.#places = await this.#openAll({ ...this.#config, port: this.port }, []);
      throw refused;
    }
  }

  #leave(place: ListenPlace, left: Left = () => undefined): void {
    const isInherited = this.#inherited.includes(place);
    if (this.#leaving.has(place) && !isInherited) return;
    left(place.sockets);
    const gone = isInherited ? place.suspend() : place.leave();
    this.#leaving.set(
      place,
      gone.then(() => void this.#leaving.delete(place)),
    );
  }

  /** @throws GatewayError PLUGIN_START; places that were opened are closed again */
  async #openAll(config: HttpConfig, kept: readonly ListenPlace[]): Promise<readonly ListenPlace[]> {
    const parts = { config, handler: this.#handler, log: this.#log };
    const places: ListenPlace[] = [];
    for (const address of addressesOf(config)) {
      const open = kept.find((place) => place.address === address);
      const port = [...kept, ...places][0]?.port ?? config.port;
      try {
        places.push(open ?? (await openPlace({ host: address, port }, parts)));
      } catch (error) {
        if (places.length > 0 && isMissingAddress(error)) continue;
        for (const place of places) if (!kept.includes(place)) this.#leave(place);
        throw bindFailure(config, error, this.#inherited);
      }
    }
    return places;
  }
}

function descriptorsOf(places: readonly ListenPlace[]): readonly number[] {
  return places.flatMap(({ descriptor }) => descriptor ?? []);
}

function addressesOf({ host }: HttpConfig): readonly string[] {
  return host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
}

function isTaken(error: unknown): boolean {
  return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
}

function isMissingAddress(error: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function bindFailure(
  { host, port }: HttpConfig,
  error: unknown,
  inherited: readonly ListenPlace[],
): GatewayError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const fix: Readonly<Record<string, string>> = {
    EADDRINUSE: takenFix(inherited.some((place) => place.port === port)),
    EACCES: 'the port needs more rights; choose one above 1023',
    EADDRNOTAVAIL: 'this machine has no such address; correct aggregator.host',
  };
  return new GatewayError(
    'PLUGIN_START',
    `cannot listen on ${host}:${port}: ${fix[code] ?? messageOf(error)}`,
    { cause: error },
  );
}

function takenFix(isInherited: boolean): string {
  if (isInherited)
    return 'systemd, or what else started this process, has the port; write its socket anew: pegboard service install';
  // systemd sets this variable for its services.
  const systemd = 'INVOCATION_ID' in process.env ? ' (systemd, for this service: restart the service)' : '';
  return `another process has the port${systemd}; stop it, or choose one with --port (0 takes a free one)`;
}
