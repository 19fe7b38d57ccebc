import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { GrantClient } from '../grants/record/grantRecord.ts';
import type { Holder } from '../grants/record/holderOf.ts';

const FLOW = 'server-sign-in:';
const DEPARTURE = 'server-sign-in-state:';
const LEFT = 'server-sign-in-left:';
export const FLOW_SECONDS = 600;

/** A sign-in that a caller has asked for: what its link leads to. */
export interface SignInFlow {
  readonly server: string;
  /** URL of the server, as its definition had it. */
  readonly url: string;
  readonly holder: Holder;
  readonly asker: LinkAsker;
  readonly issuer: string;
  /** Whether answers of that issuer name it. */
  readonly namesIssuer: boolean;
  /** Whether the definition names it. */
  readonly isPinned: boolean;
  /** As in the `auth` of the server. */
  readonly isFar?: true;
  readonly endpoints: {
    readonly authorization: string;
    readonly token: string;
    readonly revocation?: string;
  };
  readonly client: GrantClient;
  readonly redirectUri: string;
  readonly resource?: string;
  /** Separated by spaces; absent: the authorization server decides. */
  readonly scope?: string;
  /** More parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Time in ms since 1970. */
  readonly begunAt: number;
}
/** Who may open the link: absent members for the local user. */
export interface LinkAsker {
  readonly subject?: string;
  readonly issuer?: string;
  /** Session of the sign-in at this gateway: the claim `sid`. */
  readonly session?: string;
  /** The name on pages. */
  readonly name?: string;
}

/** One browser on its way to the authorization server. */
export interface Departure {
  /** Key of the flow. */
  readonly flow: string;
  /** Digest of the browser's cookie. */
  readonly browser: string;
  /** The code verifier of PKCE, whose digest the authorization request carries. */
  readonly verifier: string;
  /** Where the browser goes at the end. */
  readonly redirect?: string;
}

/** Sign-ins under way, in the vault. Links and states are random, and the vault has only their digests. */
export class FlowStore {
  readonly #vault: () => Vault;

  constructor(vault: () => Vault) {
    this.#vault = vault;
  }

  /** @returns the handle for the link @throws GatewayError STORE_UNREACHABLE, as all others */
  async open(flow: SignInFlow): Promise<string> {
    const handle = newSecret();
    await this.#vault().set(FLOW + digest(handle), flow, secondsLeft(flow));
    return handle;
  }

  /** @returns undefined if it is unknown, completed or expired */
  async find(handle: string): Promise<SignInFlow | undefined> {
    return (await this.#vault().get(FLOW + digest(handle))) as SignInFlow | undefined;
  }

  /** @returns the state for the authorization server: another one for each browser, so that a link gives no state away */
  async depart(handle: string, flow: SignInFlow, parts: Omit<Departure, 'flow'>): Promise<string> {
    const state = newSecret();
    const departure: Departure = { ...parts, flow: FLOW + digest(handle) };
    await this.#vault().set(DEPARTURE + digest(state), departure, secondsLeft(flow));
    await this.#vault().set(leftKey(flow.holder.owner, flow.server), flow.client.id, FLOW_SECONDS);
    return state;
  }

  /** The client of a browser that has not come back from the authorization server: perhaps that does not know the client any
   *  more, which it tells only the person. */
  async clientLeft(owner: string, server: string): Promise<string | undefined> {
    return (await this.#vault().get(leftKey(owner, server))) as string | undefined;
  }

  /** Each state is of use once. */
  async arrive(state: string): Promise<{ departure: Departure; flow: SignInFlow } | undefined> {
    const departure = (await this.#vault().take(DEPARTURE + digest(state))) as Departure | undefined;
    if (departure === undefined) return undefined;
    const flow = (await this.#vault().get(departure.flow)) as SignInFlow | undefined;
    if (flow === undefined) return undefined;
    await this.#vault().delete(leftKey(flow.holder.owner, flow.server));
    return { departure, flow };
  }

  /** The link is of no use from now on. @returns whether it was until now */
  async close({ flow }: Departure): Promise<boolean> {
    return (await this.#vault().take(flow)) !== undefined;
  }
}

function leftKey(owner: string, server: string): string {
  return `${LEFT}${owner}:${server}`;
}

function secondsLeft({ begunAt }: SignInFlow): number {
  return Math.ceil((begunAt - Date.now()) / 1_000) + FLOW_SECONDS;
}
