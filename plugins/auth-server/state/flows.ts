import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Scope } from 'pegboard';
import { Vault } from '../../contracts/vault.ts';
import { RateLimit } from '../../kit/http/rateLimit.ts';
import { sealBytes, unsealBytes } from '../../kit/secrets/seal.ts';
import { sharedKey } from './sharedKey.ts';

const KIND = 'oauth-flow-used:';
const LIFETIME_S = 600;
/** Marks of used flows that strangers may leave within LIFETIME_S: those of one address, and those of all at this process. */
const MAX_MARKS = { ofOne: 100, ofAll: 10_000 };

/** Where a flow continues: at the consent form, or at the return from the provider. */
export type FlowStep = 'consent' | 'callback';

/** A person's way to the identity provider and back. */
interface ProviderFlow {
  /** OIDC hints for the provider: prompt, login_hint, … */
  readonly hints: Readonly<Record<string, string>>;
  /** The code verifier of our own request to the provider. */
  readonly verifier: string;
  /** Names the flow: a repeated form begins no other one. */
  readonly nonce: string;
  /** Digest of the browser's cookie. */
  readonly browser: string;
  /** Time in ms since 1970. */
  readonly begunAt: number;
  /** Set for the second try, after the provider has refused the scopes of audiences. */
  readonly lacksAudiences?: true;
}

/** A sign-in for no client: only to know who is at a browser. It is always bound to that browser. */
export interface BrowserFlow extends ProviderFlow {
  /** The path of this gateway at which it ends. */
  readonly returnTo: string;
}

/** An authorization under way, from the client's request to the provider's answer. */
export interface Flow extends ProviderFlow {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The client's. */
  readonly state: string;
  readonly scope: string;
  readonly challenge: string;
  /** Whether only that browser may continue. */
  readonly isBound: boolean;
}

/** A sign-in for a device, which learns of it by itself. It is always bound to the browser in which the device was allowed. */
export interface DeviceFlow extends ProviderFlow, Pick<Flow, 'clientId' | 'scope' | 'challenge'> {
  /** The device's id. */
  readonly device: string;
}
export type AnyFlow = Flow | BrowserFlow | DeviceFlow;

/** A flow that may continue. */
export interface TakenFlow {
  readonly flow: AnyFlow;
  /** Call it when the provider has named a person. @returns false if the flow was completed before
   *  @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN */
  readonly complete: () => Promise<boolean>;
}

/** Flows that have begun. Anyone can begin one, so they take no room in the vault: each is sealed into the text that comes back with it. */
export class Flows {
  readonly #scope: Scope<unknown>;
  readonly #marksOfOne = new RateLimit(() => MAX_MARKS.ofOne, LIFETIME_S);
  readonly #marksOfAll = new RateLimit(() => MAX_MARKS.ofAll, LIFETIME_S);

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  /** @returns text for an address or a form, good at that step alone @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN */
  async seal(step: FlowStep, flow: AnyFlow): Promise<string> {
    const plain = deflateRawSync(JSON.stringify(flow));
    return sealBytes(await this.#key(), Buffer.from(step), plain).toString('base64url');
  }

  /** Each flow passes each step once. Beyond MAX_MARKS that holds for completed ones alone, because more marks would fill the vault.
   *  @param address whose request it is @returns undefined if it is not ours, used or expired
   *  @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN */
  async take(step: FlowStep, sealed: string, address: string): Promise<TakenFlow | undefined> {
    const flow = await this.#opened(step, sealed);
    if (flow === undefined) return undefined;
    const secondsLeft = Math.ceil(LIFETIME_S - (Date.now() - flow.begunAt) / 1_000);
    if (secondsLeft <= 0) return undefined;
    const key = `${KIND}${step}:${flow.nonce}`;
    const mark = (): Promise<boolean> => this.#vault.putIfAbsent(key, 1, secondsLeft);
    if (!this.#marksOfOne.admits(address) || !this.#marksOfAll.admits(''))
      return (await this.#vault.get(key)) === undefined ? { flow, complete: mark } : undefined;
    return (await mark()) ? { flow, complete: () => Promise.resolve(true) } : undefined;
  }

  async #opened(step: FlowStep, sealed: string): Promise<AnyFlow | undefined> {
    const plain = unsealBytes(await this.#key(), Buffer.from(step), Buffer.from(sealed, 'base64url'));
    if (plain === undefined) return undefined;
    return JSON.parse(inflateRawSync(plain).toString()) as AnyFlow;
  }

  async #key(): Promise<{ readonly key: Buffer }> {
    return { key: Buffer.from(await sharedKey(this.#vault, 'flow'), 'base64url') };
  }

  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}
