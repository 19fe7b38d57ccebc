import type { InboundRequest, Reply } from 'pegboard';
import type { AuthorizationServer, BrowserSignIn } from '../../contracts/oauth.ts';
import type { BrowserCookie, BrowserId } from '../../kit/http/browserCookie.ts';
import { html, page } from '../../kit/http/page.ts';
import type { HttpExchange } from '../../contracts/http.ts';
import { digest } from '../../kit/secrets/secrets.ts';
import { sessionPrefix } from '../grants/record/holderOf.ts';
import { askerWords } from './askerOf.ts';
import { FLOW_SECONDS } from './flowStore.ts';
import type { LinkAsker, SignInFlow } from './flowStore.ts';

const MAX_FORM_BYTES = 4_096;

export interface Opening {
  readonly http: HttpExchange;
  readonly request: InboundRequest;
  readonly flow: Pick<SignInFlow, 'asker' | 'server'>;
  /** The path of the page, at which its form is sent again. */
  readonly path: string;
  /** Id in the cookie that the browser has or gets. */
  readonly browser: string;
}

/** The people who have asked for links. */
export class Askers {
  readonly #cookie: BrowserCookie;
  readonly #browserSignIn: () => BrowserSignIn | undefined;
  readonly #ownSignIn: () => AuthorizationServer | undefined;

  constructor(
    cookie: BrowserCookie,
    browserSignIn: () => BrowserSignIn | undefined,
    ownSignIn: () => AuthorizationServer | undefined,
  ) {
    this.#cookie = cookie;
    this.#browserSignIn = browserSignIn;
    this.#ownSignIn = ownSignIn;
  }

  /** The browser of a link, which keeps its id while the link can be used. */
  give(request: InboundRequest): BrowserId {
    return this.#cookie.give(request, FLOW_SECONDS);
  }

  /** Id in the cookie that the browser has sent; undefined without one. */
  browserIn(request: InboundRequest): string | undefined {
    return this.#cookie.idOf(request);
  }

  /** Whether the sign-in at this gateway has ended that the grant would belong to: no request could use it any more.
   *  @throws GatewayError STORE_UNREACHABLE */
  async haveLeft({ asker: { session }, holder: { owner } }: SignInFlow): Promise<boolean> {
    const server = this.#ownSignIn();
    if (session === undefined || server === undefined) return false;
    return owner.startsWith(sessionPrefix(session)) && server.hasEnded(session);
  }

  /** Makes sure that a link is not opened by another person, whose account would then be used by the one who asked for it.
   *  @returns undefined if the sign-in may continue in this browser, else what to answer.
   *  Source: RFC 9700 §4.7 */
  async confirm(opening: Opening): Promise<Reply | undefined> {
    const { http, request, flow, path } = opening;
    const answer = await this.browserOf(flow.asker, request, `${path}?${http.query.toString()}`);
    if (answer !== 'unknowable') return answer;
    return (await this.#hasAgreed(opening)) ? undefined : askPage(opening);
  }

  /** Whether a browser is the asker's. @param returnTo where it comes back to after a sign-in
   *  @returns undefined if it is, `unknowable`, or what to answer @throws OAuthError, GatewayError as BrowserSignIn.confirm() */
  async browserOf(
    { subject, issuer }: LinkAsker,
    request: InboundRequest,
    returnTo: string,
  ): Promise<Reply | 'unknowable' | undefined> {
    const signIn = this.#browserSignIn();
    if (subject === undefined) return undefined;
    if (signIn === undefined) return 'unknowable';
    return signIn.confirm(request, { subject, ...(issuer !== undefined && { issuer }) }, returnTo);
  }

  /** Whether the button of the page was pressed in the browser that was shown it. */
  async #hasAgreed({ http, request, browser }: Opening): Promise<boolean> {
    if (http.req.method !== 'POST' || this.browserIn(request) === undefined) return false;
    const form = new URLSearchParams(await http.body(MAX_FORM_BYTES));
    return form.get('browser') === digest(browser);
  }
}

function askPage({ flow, browser, http }: Opening): Reply {
  const { asker, server } = flow;
  return page(
    `Sign in at ${server}?`,
    html`<p>
        ${askerWords(asker)} has asked for this link. The account with which you sign in at
        <strong>${server}</strong> will be used by them.
      </p>
      <p>Continue only if that is you, and if you have asked for this link yourself.</p>
      <form method="post" action="?${http.query.toString()}">
        <input type="hidden" name="browser" value="${digest(browser)}" />
        <button>This is me, continue</button>
      </form>`,
  );
}
