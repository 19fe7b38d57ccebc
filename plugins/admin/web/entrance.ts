import type { IncomingMessage } from 'node:http';
import { GatewayError } from 'pegboard';
import type { InboundRequest, Scope } from 'pegboard';
import { ADMIN } from '../../kit/authority/adminPages.ts';
import { suffices } from '../../kit/authority/authority.ts';
import { BrowserCookie } from '../../kit/http/browserCookie.ts';
import { html } from '../../kit/http/page.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { digest, isSame, newSecret, tag } from '../../kit/secrets/secrets.ts';
import { AuthorizationServer, PageSignIn, SignInList } from '../../contracts/oauth.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { Operators } from '../../contracts/operators.ts';
import type { PageAnswer } from './answers.ts';
import type { Shown, Visitor } from './definePage.ts';
import { shown } from '../../kit/pages/words.ts';

const SIGNED_IN = '/signed-in';
const WAY_S = 600;
/** Then the person signs in again, which a session at the identity provider answers. */
const SESSION_S = 43_200;
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,600}$/;

/** The way into pages at which people sign in. */
export class Entrance {
  readonly #scope: Scope<unknown>;
  readonly #base: () => string;
  readonly #session = this.#cookie('pegboard-admin');
  /** Binds a sign-in to the browser that began it, and is its code verifier. */
  readonly #way = this.#cookie('pegboard-admin-way');

  /** @param base `aggregator.admin.baseUrl` */
  constructor(scope: Scope<unknown>, base: () => string) {
    this.#scope = scope;
    this.#base = base;
  }

  /** The pages as an application of the gateway. Tokens are issued to it here only: it may use no grant type elsewhere. */
  get client(): OAuthClient {
    return {
      id: 'pegboard-admin',
      name: 'Admin pages',
      redirectUris: [this.#redirectUri],
      authMethod: 'none',
      grantTypes: [],
      origin: 'configured',
    };
  }

  /** Undefined without a sign-in in that browser, or once it has ended. @throws GatewayError STORE_UNREACHABLE */
  async visitorOf(req: IncomingMessage): Promise<Visitor | undefined> {
    const secret = this.#session.idOf(requestOf(req)) ?? '';
    const caller = secret === '' ? undefined : await this.#signIn.find(secret, this.client);
    if (caller === undefined) return undefined;
    const request = { ...requestOf(req), caller };
    const { email, name } = caller.claims ?? {};
    return {
      caller,
      // Without the plugin, who is an operator is not known.
      authority: this.#scope.find(Operators)?.authorityOf(request) ?? 'use',
      shown: [email, name].find((one) => typeof one === 'string') ?? caller.subject,
      token: tag(secret, 'form'),
    };
  }

  /** Sends the browser to the sign-in of the gateway. @param path with its query, at which it ends */
  begin(req: IncomingMessage, path: string): PageAnswer {
    const verifier = this.#way.idOf(requestOf(req)) ?? newSecret();
    const { headers } = this.#way.renew(WAY_S, verifier);
    const to = OWN_PATH.test(path) ? path : '/';
    const asked = new URLSearchParams({
      client_id: this.client.id,
      redirect_uri: this.#redirectUri,
      response_type: 'code',
      state: `${tag(verifier, to)}.${Buffer.from(to).toString('base64url')}`,
      code_challenge: digest(verifier),
      code_challenge_method: 'S256',
    });
    const server = this.#scope.get(AuthorizationServer).issuer();
    const location = `${server}/oauth/authorize?${asked.toString()}`;
    return { status: 303, headers: { ...headers, location }, body: '' };
  }

  /** What is shown before the sign-in where a form of these pages has been sent: `form-action` lets browsers follow no redirect of it to
   *  another address. The link says not where it comes from, so that it leads there. Source: https://www.w3.org/TR/CSP3/#directive-form-action */
  beforeSignIn(req: IncomingMessage, path: string): Shown | undefined {
    const isOfPage = requestOf(req).header('referer')?.startsWith(`${this.#base()}/`) === true;
    if (!isOfPage || !path.includes('?')) return undefined;
    const to = OWN_PATH.test(path) ? path : '/';
    const body = html`<p class="row actions">
      <a class="button" rel="noreferrer" href="${to}">Sign in again</a>
    </p>`;
    return { title: 'Your sign-in has ended', body };
  }

  /** Whether the request is the return from the sign-in, for `finish`. */
  isReturn({ pathname }: URL): boolean {
    return pathname === SIGNED_IN;
  }

  /** @throws GatewayError REQUEST_FORBIDDEN if the sign-in began elsewhere, or was not completed */
  async finish(req: IncomingMessage, { searchParams }: URL): Promise<PageAnswer> {
    const verifier = this.#way.idOf(requestOf(req)) ?? newSecret();
    const [mark = '', path = ''] = (searchParams.get('state') ?? '').split('.');
    const to = Buffer.from(path, 'base64url').toString();
    if (!isSame(mark, tag(verifier, to)) || !OWN_PATH.test(to))
      throw refused('this sign-in was begun in another browser, or long ago; begin it again');
    const { client } = this;
    const parts = { client, verifier, redirectUri: this.#redirectUri, seconds: SESSION_S };
    const code = searchParams.get('code') ?? '';
    const secret = await this.#signIn.redeem({ ...parts, code }, requestOf(req)).catch(asRefused);
    const caller = await this.#signIn.find(secret, client);
    const request = { ...requestOf(req), caller };
    const operates = suffices(this.#scope.find(Operators)?.authorityOf(request) ?? 'use', 'operate');
    // The overview is for operators.
    const location = to === '/' && !operates ? '/sessions' : to;
    const { headers } = this.#session.renew(SESSION_S, secret);
    return { status: 303, headers: { ...headers, location }, body: '' };
  }

  /** Ends the sign-in of the pages, not that of other applications. @throws GatewayError STORE_UNREACHABLE */
  async leave({ caller }: Visitor): Promise<Shown & Pick<PageAnswer, 'headers'>> {
    await this.#scope.get(SignInList).end(String(caller.claims?.['sid']));
    const logout = `${this.#scope.get(AuthorizationServer).issuer()}/oauth/logout`;
    return {
      title: 'You are signed out',
      headers: this.#session.renew(0, '').headers,
      body: html`<p>Applications and the identity provider still know you at this browser.</p>
        <p class="row actions">
          <a class="button" href="/">Sign in again</a> <a class="button" href="${logout}">Sign out of all</a>
        </p>`,
    };
  }

  get #signIn(): PageSignIn {
    return this.#scope.get(PageSignIn);
  }

  get #redirectUri(): string {
    return this.#base() + SIGNED_IN;
  }

  #cookie(name: string): BrowserCookie {
    return new BrowserCookie({ name, isHttps: () => this.#base().startsWith('https:'), maxChars: 200 });
  }
}

/** What a browser has sent, as a request without a caller. */
export function requestOf({ socket: { remoteAddress }, headers }: IncomingMessage): InboundRequest {
  return {
    id: `${ADMIN}-${newSecret(24)}`,
    transport: ADMIN,
    access: 'caller',
    header: (name) => headers[name]?.toString(),
    caller: undefined,
    toolset: undefined,
    sessionId: undefined,
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
}

function asRefused(error: unknown): never {
  if (!(error instanceof OAuthError)) throw error;
  throw refused(`the sign-in was not completed: ${shown(error.message)}; open the page again`);
}

function refused(text: string): GatewayError {
  return new GatewayError('REQUEST_FORBIDDEN', text);
}
