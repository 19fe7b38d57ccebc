import { hash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { GuardedFetch } from 'pegboard/net';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { SignInFacts } from '../../contracts/signIns.ts';
import type { GrantClient } from '../grants/record/grantRecord.ts';
import { requestOptions } from './serverRequest.ts';

const KIND = 'server-client:';
/** A registration that ends within this time is not used for a new sign-in, in seconds. */
const MARGIN_S = 600;

export interface Registering {
  /** Metadata of the client to register, as RFC 7591 spells it. */
  readonly metadata: JsonObject;
  readonly fetch: GuardedFetch;
  /** Id of a client that the authorization server may not know any more. */
  readonly doubted: string | undefined;
}

/** Registrations of this gateway, kept in the vault for each authorization server and redirect URI. Source: RFC 7591 */
export class OwnRegistrations {
  readonly #vault: () => Vault;
  /** Many people may be the first at once. */
  readonly #running = new Map<string, Promise<GrantClient>>();

  constructor(vault: () => Vault) {
    this.#vault = vault;
  }

  /** The one that is kept, or a new one. @param facts with a registration endpoint
   *  @throws what oauth4webapi and the fetch throw; GatewayError STORE_UNREACHABLE */
  async clientFor(facts: SignInFacts, redirectUri: string, registering: Registering): Promise<GrantClient> {
    const key = keyOf(facts.issuer, redirectUri);
    const known = (await this.#vault().get(key)) as GrantClient | undefined;
    if (known !== undefined && known.id !== registering.doubted) return known;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const next = this.#register(key, facts, registering).finally(() => this.#running.delete(key));
    this.#running.set(key, next);
    return next;
  }

  async #register(key: string, facts: SignInFacts, { metadata, fetch }: Registering): Promise<GrantClient> {
    const asked = askedMethod(facts.authMethods);
    const endpoint = facts.endpoints.registration ?? '';
    const response = await oauth.dynamicClientRegistrationRequest(
      { issuer: facts.issuer, registration_endpoint: endpoint },
      { ...metadata, token_endpoint_auth_method: asked },
      requestOptions(fetch, endpoint),
    );
    const answer = await oauth.processDynamicClientRegistrationResponse(await asCreated(response));
    const client = identityIn(answer, asked);
    const ttl = secondsOf(answer);
    await this.#vault().set(key, client, ttl);
    return client;
  }

  /** The authorization server no longer knows that client: the next sign-in registers another one. */
  async forget(issuer: string, redirectUri: string, client: GrantClient): Promise<void> {
    const key = keyOf(issuer, redirectUri);
    const known = (await this.#vault().get(key)) as GrantClient | undefined;
    if (known?.id === client.id) await this.#vault().delete(key);
  }
}

function keyOf(issuer: string, redirectUri: string): string {
  return KIND + hash('sha256', JSON.stringify([issuer, redirectUri]), 'base64url');
}

/** The first that it supports; without a list, that of the other MCP clients. */
function askedMethod(supported: readonly string[] = ['none']): GrantClient['authMethod'] {
  const known: readonly GrantClient['authMethod'][] = ['none', 'client_secret_basic', 'client_secret_post'];
  return known.find((method) => supported.includes(method)) ?? 'none';
}

/** Some servers answer 200, not 201, leave out when the secret expires (it does not), or write null for what is absent. */
async function asCreated(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (status !== 200 && status !== 201) return response;
  const text = await response.text();
  const body = jsonIn(text);
  const whole = isObject(body) ? JSON.stringify({ client_secret_expires_at: 0, ...withoutNull(body) }) : text;
  return new Response(whole, { status: 201, headers });
}
function withoutNull(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
function identityIn(
  {
    client_id: id,
    client_secret: secret,
    token_endpoint_auth_method: given,
  }: oauth.OmitSymbolProperties<oauth.Client>,
  asked: GrantClient['authMethod'],
): GrantClient {
  if (typeof secret !== 'string' || secret === '') return { id, authMethod: 'none', isRegistered: true };
  const method = typeof given === 'string' ? given : asked;
  const authMethod = method === 'none' || method === 'client_secret_post' ? method : 'client_secret_basic';
  return { id, secret, authMethod, isRegistered: true };
}

/** @returns undefined: it does not expire */
function secondsOf({
  client_secret_expires_at: end,
}: oauth.OmitSymbolProperties<oauth.Client>): number | undefined {
  if (typeof end !== 'number' || end === 0) return undefined;
  return end - Math.floor(Date.now() / 1_000) - MARGIN_S;
}
