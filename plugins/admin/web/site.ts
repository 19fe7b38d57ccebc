import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, isGatewayError, packageFile } from 'pegboard';
import type { InboundRequest, Log } from 'pegboard';
import { internalErrorText } from '../../kit/calls/internalErrorText.ts';
import { LOOK } from '../../kit/http/look.ts';
import { html } from '../../kit/http/page.ts';
import { statusOf } from '../../kit/http/statusOf.ts';
import type { MemoryBudget } from '../../contracts/memory.ts';
import { ADMIN } from '../../kit/authority/adminPages.ts';
import { htmlAnswer, jsonAnswer, send, wantsJson } from './answers.ts';
import type { PageAnswer } from './answers.ts';
import { checkHost, checkOrigin } from './checkSender.ts';
import type { AdminAddress } from './checkSender.ts';
import { layout } from './layout.ts';
import type { Live } from './live.ts';
import { matchRoutes } from './matchRoutes.ts';
import { Notices } from './notices.ts';
import type { Action, Answered, Page, Visit } from './definePage.ts';
import { readForm } from './readForm.ts';
import { sentence } from './words.ts';

/** Path of the events that tell pages of changes. */
const STREAM_PATH = '/events/stream';
const FILE_TYPES: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

export interface SiteParts {
  readonly pages: readonly Page[];
  readonly actions: readonly Action[];
  readonly live: Live;
  readonly log: Log;
  readonly memory: () => MemoryBudget | undefined;
  /** Undefined before the listener is open. */
  readonly place: () => AdminAddress | undefined;
}

/** The admin pages over HTTP: checks who sends a request, finds its page, and writes it as HTML or JSON. */
export class Site {
  readonly #parts: SiteParts;
  readonly #files = fileAnswers();
  readonly #notices = new Notices();
  /** Other sites cannot read it: they cannot make a form that is accepted. */
  readonly #token = randomBytes(32).toString('base64url');

  constructor(parts: SiteParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const place = this.#parts.place();
      if (place !== undefined) checkHost(req, place);
      const url = new URL(`http://admin${req.url?.startsWith('/') === true ? req.url : '/'}`);
      if (isReading(req) && url.pathname === STREAM_PATH) this.#parts.live.open(res);
      else await this.#page(req, res, url);
    } catch (error) {
      if (!res.headersSent && !res.destroyed) send(req, res, this.#refusal(req, error));
    }
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
    const { pages, actions } = this.#parts;
    const [page] = matchRoutes(pages, url.pathname);
    const found = matchRoutes(actions, url.pathname);
    const action = found.find(({ route }) => route.method === req.method);
    if (action !== undefined) return this.#act(req, url, action);
    if (page === undefined && found.length === 0 && file === undefined)
      throw new GatewayError('REQUEST_NOT_FOUND', `there is no page ${url.pathname.slice(0, 100)}`);
    if (page === undefined || !isReading(req)) {
      const allowed = [...((page ?? file) ? ['GET', 'HEAD'] : []), ...found.map(({ route }) => route.method)];
      const text = `this address answers ${allowed.join(' and ')}, not ${req.method ?? ''}`;
      const { status, headers, body } = this.#refusal(req, new GatewayError('REQUEST_METHOD', text));
      return { status, headers: { ...headers, allow: allowed.join(', ') }, body };
    }
    const visit = this.#visit(req, url, page.params);
    const facts = await page.route.facts(visit);
    if (wantsJson(req)) return jsonAnswer(200, facts);
    return htmlAnswer(
      200,
      layout(page.route.show(facts, visit), {
        pages,
        path: url.pathname,
        isLive: true,
        notice: this.#notices.of(url.searchParams),
      }).text,
    );
  }

  async #act(
    req: IncomingMessage,
    url: URL,
    { route, params }: { readonly route: Action; readonly params: Visit['params'] },
  ): Promise<PageAnswer> {
    const isOfBrowser = checkOrigin(req);
    const form = await readForm(req);
    if (isOfBrowser && !this.#isToken(form.get('token') ?? ''))
      throw new GatewayError(
        'REQUEST_FORBIDDEN',
        'the form is from before the last start of Pegboard, or not from the admin page; open the page again',
      );
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
    return htmlAnswer(
      status,
      layout(shown, { pages: this.#parts.pages, path: pathname, isLive: false }).text,
    );
  }

  #isToken(sent: string): boolean {
    const [own, other] = [Buffer.from(this.#token), Buffer.from(sent)];
    return own.length === other.length && timingSafeEqual(own, other);
  }

  #visit(req: IncomingMessage, url: URL, params: Visit['params']): Visit {
    return {
      params,
      query: url.searchParams,
      form: new URLSearchParams(),
      request: operatorRequest(req),
      token: this.#token,
    };
  }

  #refusal(req: IncomingMessage, error: unknown): PageAnswer {
    const { log, pages } = this.#parts;
    const isPublic = isGatewayError(error) && error.expose;
    const message = isPublic ? error.message : internalErrorText('admin page failed', error, log);
    const code = isPublic ? error.code : 'PLUGIN_TAP';
    const status = isPublic ? refusalStatus(error) : 500;
    if (wantsJson(req)) return jsonAnswer(status, { error: { code, message } });
    const body = html`<p class="lead">${sentence(message)}</p>
      <p class="quiet">${code}</p>
      <p><a href="/">Back to the overview</a></p>`;
    const title = TITLES[status] ?? 'This did not work';
    return htmlAnswer(status, layout({ title, body }, { pages, path: '', isLive: false }).text);
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
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

function isReading({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** What the operator does: without sign-in and toolset, so that all is in sight. */
function operatorRequest({ socket: { remoteAddress } }: IncomingMessage): InboundRequest {
  return {
    id: `${ADMIN}-${randomBytes(3).toString('hex')}`,
    transport: ADMIN,
    access: 'caller',
    header: () => undefined,
    caller: undefined,
    toolset: undefined,
    sessionId: undefined,
    anonymousOwner: 'admin',
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
}

/** What pages load, by path. */
function fileAnswers(): ReadonlyMap<string, PageAnswer> {
  const entries = Object.entries(FILE_TYPES).map(([name, type]): [string, PageAnswer] => {
    const text = readFileSync(packageFile(`plugins/admin/assets/${name}`), 'utf8');
    const body = name === 'style.css' ? LOOK + text : text;
    return [`/${name}`, { status: 200, headers: { 'content-type': type }, body }];
  });
  return new Map(entries);
}
