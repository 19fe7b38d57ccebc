import type { GatewayError } from 'pegboard';
import type { ServerDefinition } from '../../definition.ts';
import { asGatewayError } from '../../client/rpc/requestErrors.ts';
import type { Wire, WireListener } from '../../client/wire/wire.ts';
import type { Dialing } from '../../connection/dialer.ts';

/** A process that was started before its session. Its connection sends initialize, because the client decides what that declares. */
export class WarmWire {
  /** The dialer of the connection that takes it: the first wire that is dialed is this one. */
  readonly dialer: Dialing;
  readonly #own: Dialing;
  readonly #wire: Promise<Wire | undefined>;
  readonly #lost: (error: GatewayError) => void;
  #isUsed = false;
  #fault: GatewayError | undefined;
  #user: WireListener | undefined;

  /** @param own the dialer of the own connection @param lost the process could not be started, or has ended before its use */
  constructor(own: Dialing, definition: ServerDefinition, lost: (error: GatewayError) => void) {
    const { log, output, secrets } = own;
    this.dialer = {
      log,
      output,
      secrets,
      dial: (next, listener) => this.#dial(next, listener),
      refill: (secret, texts) => own.refill(secret, texts),
    };
    this.#own = own;
    this.#lost = lost;
    this.#wire = this.#begin(definition);
  }

  /** Ends the process, unless a connection uses it. Safe to call twice. */
  async discard(): Promise<void> {
    if (this.#isUsed) return;
    this.#isUsed = true;
    const wire = await this.#wire;
    await wire?.close();
  }

  async #begin(definition: ServerDefinition): Promise<Wire | undefined> {
    try {
      const wire = await this.#own.dial(definition, this.#listener());
      await wire.open();
      return wire;
    } catch (error) {
      this.#lost(asGatewayError(error));
      return undefined;
    }
  }

  async #dial(definition: ServerDefinition, listener: WireListener): Promise<Wire> {
    if (this.#isUsed) return this.#own.dial(definition, listener);
    this.#isUsed = true;
    const wire = await this.#wire;
    if (wire === undefined || this.#fault !== undefined) return this.#own.dial(definition, listener);
    // It is open already; it may end until its connection has begun to listen.
    const open = (): Promise<void> => {
      if (this.#fault !== undefined) return Promise.reject(this.#fault);
      this.#user = listener;
      return Promise.resolve();
    };
    return Object.assign(wire, { open });
  }

  #listener(): WireListener {
    return {
      // A server has nothing to say before initialize.
      message: (text, about) => this.#user?.message(text, about) ?? this.#early(text),
      failed: (outgoing, error) => this.#user?.failed(outgoing, error),
      notTaken: (outgoing, error, isOutdated) => this.#user?.notTaken(outgoing, error, isOutdated),
      doubted: () => this.#user?.doubted(),
      reopened: () => this.#user?.reopened(),
      closed: (error) => {
        this.#fault = error;
        if (this.#user === undefined) this.#lost(error);
        else this.#user.closed(error);
      },
    };
  }

  #early(text: string): number {
    this.#own.output.noise(text);
    return 1;
  }
}
