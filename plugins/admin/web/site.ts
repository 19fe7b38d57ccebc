import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, isGatewayError } from 'pegboard';
import type { InboundRequest, Log } from 'pegboard';
import type { Authority } from '../../contracts/operators.ts';
import { suffices } from '../../kit/authority/authority.ts';
import { isSame } from '../../kit/secrets/secrets.ts';
import { internalErrorText } from '../../kit/calls/internalErrorText.ts';
import { html } from '../../kit/http/page.ts';
import { statusOf } from '../../kit/http/statusOf.ts';
import type { MemoryBudget } from '../../contracts/memory.ts';
import { ADMIN } from '../../kit/authority/adminPages.ts';
import { fileAnswers, htmlAnswer, jsonAnswer, send, wantsJson } from './answers.ts';
import type { PageAnswer } from './answers.ts';
import { checkAuthority, checkHost, checkOrigin } from './checkSender.ts';
import type { AdminAddress } from './checkSender.ts';
import { requestOf } from './entrance.ts';
import type { Entrance } from './entrance.ts';
import { SIGN_OUT, homeOf, layout } from './layout.ts';
import type { LayoutParts } from './layout.ts';
import type { Live } from './live.ts';
import { matchRoutes } from './matchRoutes.ts';
import { Notices } from './notices.ts';
import type { Action, Answered, Page, Shown, Visit, Visitor } from './definePage.ts';
import { readForm } from './readForm.ts';
import { sentence } from '../../kit/pages/words.ts';

/** Path of the events that tell pages of changes. */
const STREAM_PATH = '/events/stream';
export interface SiteParts {
  /** The first whose path matches is shown. */
  readonly pages: () => readonly Page[];
  readonly actions: () => readonly Action[];
  readonly live: Live;
  readonly log: Log;
  readonly memory: () => MemoryBudget | undefined;
  /** Undefined before the listener is open. */
  readonly place: () => AdminAddress | undefined;
  /** Undefined without `signIn`. */
  readonly entrance: () => Entrance | undefined;
}

/** The admin pages over HTTP: checks who sends a request, finds its page, and writes it as HTML or JSON. */
export class Site {
  readonly #parts: SiteParts;
  readonly #files = fileAnswers();
  readonly #notices = new Notices();
  readonly #visitors = new WeakMap<IncomingMessage, Visitor>();
  /** Other sites cannot read it: they cannot make a form that is accepted. */
  readonly #token = randomBytes(32).toString('base64url');

  constructor(parts: SiteParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const place = this.#parts.place();
      if (place === undefined)
        throw new GatewayError('PLUGIN_STOPPED', 'the admin pages are not open yet; try again');
      checkHost(req, place);
      const url = new URL(`http://admin${req.url?.startsWith('/') === true ? req.url : '/'}`);
      const answer = await this.#enter(req, url);
      if (answer !== undefined) send(req, res, answer);
      else if (isReading(req) && url.pathname === STREAM_PATH) {
        this.#admit(req, 'operate');
        this.#parts.live.open(res, () => this.#mayStillRead(req));
      } else await this.#page(req, res, url);
    } catch (error) {
      if (!res.headersSent && !res.destroyed) send(req, res, this.#refusal(req, error));
    }
  }

  /** Makes known who it is. @returns what is answered in place of a page @throws GatewayError REQUEST_UNAUTHENTICATED */
  async #enter(req: IncomingMessage, url: URL): Promise<PageAnswer | undefined> {
    const entrance = this.#parts.entrance();
    if (entrance === undefined || (isReading(req) && this.#files.has(url.pathname))) return undefined;
    if (isReading(req) && entrance.isReturn(url)) return entrance.finish(req, url);
    const visitor = await entrance.visitorOf(req);
    if (visitor !== undefined) this.#visitors.set(req, visitor);
    else if (!isNavigation(req) || wantsJson(req) || url.pathname === STREAM_PATH) throw signedOut();
    else {
      const path = url.pathname + url.search;
      const before = entrance.beforeSignIn(req, path);
      return before === undefined ? entrance.begin(req, path) : htmlAnswer(401, withoutPages(before));
    }
    if (req.method !== 'POST' || url.pathname !== SIGN_OUT) return undefined;
    this.#checkForm(req, await readForm(req));
    const { headers, ...shown } = await entrance.leave(visitor);
    if (wantsJson(req)) return withHeaders(jsonAnswer(200, { message: shown.title }), headers);
    return withHeaders(htmlAnswer(200, withoutPages(shown)), headers);
  }

  /** Undefined without `signIn` only. @throws GatewayError REQUEST_UNAUTHENTICATED */
  #visitorOf(req: IncomingMessage): Visitor | undefined {
    const visitor = this.#visitors.get(req);
    if (visitor === undefined && this.#parts.entrance() !== undefined) throw signedOut();
    return visitor;
  }

  /** @throws GatewayError REQUEST_FORBIDDEN if a person has signed in who does not hold that */
  #admit(req: IncomingMessage, taken: Authority): void {
    const visitor = this.#visitorOf(req);
    if (visitor !== undefined) checkAuthority(visitor, taken);
  }

  /** Whether who has opened a stream is still signed in, and operates. @throws GatewayError STORE_UNREACHABLE */
  async #mayStillRead(req: IncomingMessage): Promise<boolean> {
    const entrance = this.#parts.entrance();
    if (entrance === undefined) return true;
    const visitor = await entrance.visitorOf(req);
    return visitor !== undefined && suffices(visitor.authority, 'operate');
  }

  /** The pages that the navigation lists. */
  #frame(req: IncomingMessage): Pick<LayoutParts, 'pages' | 'visitor' | 'asksSignIn'> {
    const { pages, entrance } = this.#parts;
    if (entrance() === undefined) return { pages: pages() };
    const visitor = this.#visitors.get(req);
    if (visitor === undefined) return { pages: [], asksSignIn: true };
    const isOpen = ({ takes = 'operate' }: Page): boolean => suffices(visitor.authority, takes);
    return { pages: pages().filter(isOpen), visitor };
  }

  /** @throws GatewayError REQUEST_FORBIDDEN if a page elsewhere, or of another sign-in, has sent it */
  #checkForm(req: IncomingMessage, form: URLSearchParams): void {
    const token = this.#visitors.get(req)?.token;
    const isOfBrowser = checkOrigin(req, this.#parts.place()?.baseUrl);
    if (token === undefined && !isOfBrowser) return;
    if (isSame(token ?? this.#token, form.get('token') ?? '')) return;
    throw new GatewayError(
      'REQUEST_FORBIDDEN',
      'the form is from before the last start of Pegboard, or not from the admin page; open the page again',
    );
  }

  async #page(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const share = this.#parts.memory()?.open('page', ADMIN);
    res.once('close', () => share?.size(0));
    if (share?.size(Number(req.headers['content-length'] ?? 0)) === false) await share.room();
    const answer = await this.#answer(req, url);
    if (!res.destroyed && share?.size(answer.body.length) === false) await share.room();
    send(req, res, answer);
  }

  async #answer(req: IncomingMessage, url: URL): Promise<PageAnswer> {
    const file = this.#files.get(url.pathname);
    if (file !== undefined && isReading(req)) return file;
    const [pages, actions] = [this.#parts.pages(), this.#parts.actions()];
    const [page] = matchRoutes(pages, url.pathname);
    const found = matchRoutes(actions, url.pathname);
    const action = found.find(({ route }) => route.method === req.method);
    if (action !== undefined) {
      this.#admit(req, action.route.takes ?? 'define');
      return this.#act(req, url, action);
    }
    if (page === undefined && found.length === 0 && file === undefined) this.#admit(req, 'operate');
    if (page === undefined && found.length === 0 && file === undefined)
      throw new GatewayError('REQUEST_NOT_FOUND', `there is no page ${url.pathname.slice(0, 100)}`);
    if (page === undefined || !isReading(req)) {
      const allowed = [...((page ?? file) ? ['GET', 'HEAD'] : []), ...found.map(({ route }) => route.method)];
      const text = `this address answers ${allowed.join(' and ')}, not ${req.method ?? ''}`;
      const { status, headers, body } = this.#refusal(req, new GatewayError('REQUEST_METHOD', text));
      return { status, headers: { ...headers, allow: allowed.join(', ') }, body };
    }
    this.#admit(req, page.route.takes ?? 'operate');
    const visit = this.#visit(req, url, page.params);
    const facts = await page.route.facts(visit);
    if (wantsJson(req)) return jsonAnswer(200, facts);
    return htmlAnswer(
      200,
      layout(page.route.show(facts, visit), {
        ...this.#frame(req),
        path: url.pathname,
        query: url.searchParams,
        isLive: suffices(visit.visitor?.authority ?? 'define', 'operate'),
        notice: this.#notices.of(url.searchParams),
      }).text,
    );
  }

  async #act(
    req: IncomingMessage,
    url: URL,
    { route, params }: { readonly route: Action; readonly params: Visit['params'] },
  ): Promise<PageAnswer> {
    const form = await readForm(req);
    this.#checkForm(req, form);
    const done = await route.run({ ...this.#visit(req, url, params), form });
    this.#parts.live.changed();
    if ('shown' in done) return this.#shown(req, url, done);
    const { message, next } = done;
    if (wantsJson(req)) return jsonAnswer(200, { message });
    if (route.method === 'DELETE') return { status: 204, headers: {}, body: '' };
    return { status: 303, headers: { location: this.#notices.add(message, next) }, body: '' };
  }

  #shown(req: IncomingMessage, { pathname }: URL, { shown, facts, error }: Answered): PageAnswer {
    const status = error === undefined ? 200 : refusalStatus(error);
    if (wantsJson(req))
      return jsonAnswer(
        status,
        error === undefined ? facts : { error: { code: error.code, message: error.message } },
      );
    // It must not read itself again: a GET would not show what the action has answered.
    return htmlAnswer(status, layout(shown, { ...this.#frame(req), path: pathname, isLive: false }).text);
  }

  #visit(req: IncomingMessage, url: URL, params: Visit['params']): Visit {
    const visitor = this.#visitorOf(req);
    return {
      params,
      query: url.searchParams,
      form: new URLSearchParams(),
      request: requestFor(req, visitor),
      token: visitor?.token ?? this.#token,
      lacks: (path) => {
        const [found] = matchRoutes(this.#parts.actions(), path).filter(
          ({ route }) => route.method === 'POST',
        );
        if (found === undefined || visitor === undefined) return undefined;
        const { takes = 'define' } = found.route;
        return suffices(visitor.authority, takes) ? undefined : takes;
      },
      ...(visitor !== undefined && { visitor }),
    };
  }

  #refusal(req: IncomingMessage, error: unknown): PageAnswer {
    const { log } = this.#parts;
    const isPublic = isGatewayError(error) && error.expose;
    const message = isPublic ? error.message : internalErrorText('admin page failed', error, log);
    const code = isPublic ? error.code : 'PLUGIN_TAP';
    const status = isPublic ? refusalStatus(error) : 500;
    if (wantsJson(req)) return jsonAnswer(status, { error: { code, message } });
    const frame = this.#frame(req);
    const home = homeOf(frame.pages);
    const body = html`<p class="lead">${sentence(message)}</p>
      <p class="quiet">${code}</p>
      <p><a href="${home}">Back to ${home === '/' ? 'the overview' : 'your sessions'}</a></p>`;
    const title = TITLES[status] ?? 'This did not work';
    return htmlAnswer(status, layout({ title, body }, { ...frame, path: '', isLive: false }).text);
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  401: 'Not signed in',
  403: 'Refused',
  404: 'Not found',
  405: 'Not possible here',
  500: 'Something failed here',
};

/** Codes of tools have no status of their own: the state of what they work on refuses them. Source: RFC 9110 §15.5.10 */
function refusalStatus({ code }: GatewayError): number {
  if (code.endsWith('_NOT_FOUND')) return 404;
  if (code === 'TOOL_ARGUMENTS' || code === 'TOOL_TOOLSET_INVALID') return 400;
  const status = statusOf(code);
  return status === 500 ? 409 : status;
}

function signedOut(): GatewayError {
  return new GatewayError('REQUEST_UNAUTHENTICATED', 'sign in first: open these pages in a browser');
}

function isReading({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a person opens a page: a script could not follow them to the sign-in. Source: https://www.w3.org/TR/fetch-metadata/ */
function isNavigation(req: IncomingMessage): boolean {
  return isReading(req) && (req.headers['sec-fetch-dest'] ?? 'document') === 'document';
}

/** What the operator does, or the person who has signed in: without toolset, so that all is in sight. Nothing that the browser sends counts. */
function requestFor(req: IncomingMessage, visitor: Visitor | undefined): InboundRequest {
  const request = { ...requestOf(req), header: () => undefined };
  if (visitor === undefined) return { ...request, anonymousOwner: 'admin' };
  const { caller, authority } = visitor;
  return { ...request, caller, actor: { caller, authority } };
}

/** A page for who is not signed in. */
function withoutPages(shown: Shown): string {
  return layout(shown, { pages: [], path: '', isLive: false }).text;
}

function withHeaders(answer: PageAnswer, headers: PageAnswer['headers']): PageAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
