import { randomUUID } from 'node:crypto';
import { Cancellation, isGatewayError, isObject, messageOf } from 'pegboard';
import type { CallOptions, Client, InboundRequest, Log } from 'pegboard';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { GuardedServer } from '../../contracts/credentials.ts';
import type { SignInOffers, SignInStatuses } from '../../contracts/signIns.ts';
import { SignInFault } from '../discovery/network.ts';
import { FLOW_SECONDS } from '../flows/flowStore.ts';
import { holderOf } from '../grants/record/holderOf.ts';
import type { OwnSignIn } from './ownSignIn.ts';

const MAX_DECLINED = 10_000;
/** A person who has declined is not asked again in the same session for that long. */
const DECLINED_MS = 600_000;

/** `cancelled`: the call that asked was, which says nothing about the person. */
type Outcome = 'signed-in' | 'declined' | 'cancelled';

/** Offers links as questions by URL. */
export class UrlOffers implements SignInOffers {
  readonly #signIn: Pick<OwnSignIn, 'link' | 'connect'>;
  readonly #statuses: () => SignInStatuses | undefined;
  readonly #log: Log;
  /** Open questions by owner and server: parallel calls cause one question. */
  readonly #open = new Map<string, Promise<Outcome>>();
  readonly #declined = recentlyUsed<true>(MAX_DECLINED, DECLINED_MS);

  constructor(
    signIn: Pick<OwnSignIn, 'link' | 'connect'>,
    statuses: () => SignInStatuses | undefined,
    log: Log,
  ) {
    this.#signIn = signIn;
    this.#statuses = statuses;
    this.#log = log;
  }

  async offer(
    server: GuardedServer,
    request: InboundRequest,
    { client, cancel = new Cancellation() }: Pick<CallOptions, 'client' | 'cancel'>,
  ): Promise<boolean> {
    if (client === undefined || !showsLinks(client)) return false;
    const { owner } = holderOf(server.auth, request);
    const refused = `${client.id} ${owner} ${server.name}`;
    if (this.#declined.has(refused)) return false;
    const key = `${owner} ${server.name}`;
    const shared = this.#open.get(key);
    const asking =
      shared ??
      this.#ask(server, request, { client, cancel })
        .then((hasSignedIn) => outcomeOf(hasSignedIn, cancel))
        .finally(() => this.#open.delete(key));
    this.#open.set(key, asking);
    const outcome = await asking;
    // Only the call that asked was cancelled: this one asks itself.
    if (outcome === 'cancelled' && shared !== undefined && cancel.reason === undefined)
      return this.offer(server, request, { client, cancel });
    if (outcome === 'declined') this.#declined.set(refused, true);
    return outcome === 'signed-in';
  }

  async #ask(
    server: GuardedServer,
    request: InboundRequest,
    { client, cancel }: { readonly client: Client; readonly cancel: Cancellation },
  ): Promise<boolean> {
    const { name } = server;
    try {
      const { url } = await this.#signIn.link(server, { request, cancel });
      const elicitationId = randomUUID();
      const message = `MCP server ${name} wants you to sign in. Open the link to continue.`;
      const params = JSON.stringify({ mode: 'url', message, url, elicitationId });
      const { kind, json } = await client.ask({ method: 'elicitation/create', params }, cancel);
      if (kind !== 'result' || actionIn(json) !== 'accept') return false;
      const hasSignedIn = await this.#signedIn(name, request, cancel);
      client.tell('notifications/elicitation/complete', JSON.stringify({ elicitationId }));
      // Its tools have to be known when the call is sent.
      if (hasSignedIn) await this.#signIn.connect(server, request);
      return hasSignedIn;
    } catch (error) {
      if (!isGatewayError(error) && !(error instanceof SignInFault)) throw error;
      this.#log.info('a link to sign in could not be offered', {
        server: name,
        reason: messageOf(error),
      });
      return false;
    }
  }

  /** Resolves when the caller has signed in, the link has expired, or the call was cancelled. */
  #signedIn(name: string, request: InboundRequest, cancel: Cancellation): Promise<boolean> {
    const statuses = this.#statuses();
    if (statuses === undefined) return Promise.resolve(false);
    return new Promise((resolve, reject) => {
      let release = (): void => undefined;
      const ended = (): void => {
        clearTimeout(timer);
        unfollow();
        release();
      };
      const end = (hasSignedIn: boolean): void => {
        ended();
        resolve(hasSignedIn);
      };
      const fail = (error: unknown): void => {
        ended();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it was thrown
        reject(error);
      };
      const look = (): void => {
        statuses.of(name, request).then((status) => {
          const isComplete = status?.status === 'connected' && status.grant?.missingScopes === undefined;
          if (isComplete) end(true);
        }, fail);
      };
      const unfollow = statuses.follow((changed) => {
        if (changed === name) look();
      });
      const timer = setTimeout(() => end(false), FLOW_SECONDS * 1_000);
      release = cancel.onCancel(() => end(false));
      look();
    });
  }
}

function outcomeOf(hasSignedIn: boolean, { reason }: Cancellation): Outcome {
  if (hasSignedIn) return 'signed-in';
  return reason === undefined ? 'declined' : 'cancelled';
}

/** Source: MCP 2025-11-25, Elicitation, Capabilities */
function showsLinks({ capabilities }: Client): boolean {
  const { elicitation } = capabilities;
  return isObject(elicitation) && isObject(elicitation['url']);
}

function actionIn(json: string): unknown {
  const answer: unknown = JSON.parse(json);
  return isObject(answer) ? answer['action'] : undefined;
}
