import { GatewayError, messageOf } from 'pegboard';
import type { Pool } from 'undici';
import { Exchange, dispatch, openPool } from './exchange.ts';
import type { ExchangeOwner } from './exchange.ts';
import { statusError, unreachable } from './httpErrors.ts';
import type { Outgoing, Wire, WireListener } from './wire.ts';

export interface HttpOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly connectMs: number;
  readonly maxConnections: number;
  readonly maxMessageBytes: number;
  readonly closeTimeoutMs: number;
  /** Waits between attempts to get a broken stream back. */
  readonly resumeMs: number;
  readonly maxResumes: number;
}

/** What one POST or its continuation is for. */
interface Post {
  /** Undefined for notifications and answers. */
  readonly outgoing: Outgoing | undefined;
  /** The session it was sent in. */
  readonly session: number;
  /** A server that never gave a session cannot have lost it. */
  readonly hadSession: boolean;
  readonly resumes: number;
}

/** Streamable HTTP: a POST per message, answered as JSON or as an event stream, and a GET stream for what the server says
 *  by itself. Source: MCP 2025-11-25, Transports. */
export class HttpWire implements Wire, ExchangeOwner<Post> {
  readonly maxMessageBytes: number;
  readonly #options: HttpOptions;
  readonly #listener: WireListener;
  readonly #path: string;
  #pool: Pool | undefined;
  #headers: string[] = [];
  #sessionId: string | undefined;
  #session = 0;
  #revision: string | undefined;
  #running = 0;
  #isClosed = false;
  #standing: Exchange<Standing> | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(options: HttpOptions, listener: WireListener) {
    this.#options = options;
    this.#listener = listener;
    this.maxMessageBytes = options.maxMessageBytes;
    this.#path = options.url.pathname + options.url.search;
    this.#prepare();
  }

  async open(): Promise<void> {
    const { url, maxConnections, connectMs } = this.#options;
    const pool = await openPool(url, maxConnections, connectMs);
    if (this.#isClosed) await pool.destroy();
    else this.#pool = pool;
  }

  request(outgoing: Outgoing): void {
    this.#post(outgoing.text, this.#newPost(outgoing));
  }
  notify(text: string): void {
    this.#post(text, this.#newPost(undefined));
  }

  #newPost(outgoing: Outgoing | undefined): Post {
    return { outgoing, session: this.#session, hadSession: this.#sessionId !== undefined, resumes: 0 };
  }

  #post(body: string, post: Post): void {
    if (this.#pool === undefined) return;
    const exchange = new Exchange<Post>(this, post);
    if (post.outgoing !== undefined) post.outgoing.drop = () => this.#drop(exchange);
    this.#running += 1;
    dispatch(this.#pool, { method: 'POST', path: this.#path, headers: this.#headers, body }, exchange);
  }

  #drop(exchange: Exchange<Post>): void {
    this.#running -= 1;
    exchange.drop();
  }

  agreed(revision: string): void {
    this.#revision = revision;
    this.#prepare();
    // The standing stream after notifications/initialized, which is sent in this turn.
    this.#later(0, () => this.#listen(undefined, 0));
  }

  renew(): void {
    this.#session += 1;
    this.#sessionId = undefined;
    this.#revision = undefined;
    this.#endStanding();
    this.#prepare();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#endStanding();
    const pool = this.#pool;
    if (pool === undefined) return;
    if (this.#sessionId !== undefined) await this.#deleteSession(pool);
    await pool.destroy();
  }

  tail(): string {
    return '';
  }

  // What exchanges tell.

  begun({ outgoing }: Post): void {
    if (outgoing !== undefined) outgoing.sent = true;
  }

  head({ session }: Post, { sessionId }: Exchange<Post>): void {
    if (sessionId === undefined || this.#sessionId !== undefined || session !== this.#session) return;
    this.#sessionId = sessionId;
    this.#prepare();
  }

  event(_: Post, event: string, data: string): void {
    if (event === 'message') this.#listener.message(data);
  }

  answered(post: Post, exchange: Exchange<Post>, body: string): void {
    this.#running -= 1;
    const { outgoing } = post;
    if (outgoing === undefined) return;
    outgoing.drop = undefined;
    if (exchange.status < 300) {
      this.#listener.message(body);
      if (!outgoing.isSettled)
        this.#fail(outgoing, new GatewayError('UPSTREAM_PROTOCOL', noAnswer(exchange.status)));
      return;
    }
    const error = statusError(exchange.status, body, exchange.location);
    if (post.hadSession && isSessionLoss(exchange.status, body)) {
      this.#listener.notTaken(outgoing, error, post.session !== this.#session);
    } else this.#fail(outgoing, error);
  }

  streamEnded(post: Post, { stream }: Exchange<Post>): void {
    this.#running -= 1;
    if (post.outgoing === undefined || post.outgoing.isSettled) return;
    this.#resume(post, stream?.lastId, stream?.retryMs, 'its event stream ended without the answer');
  }

  broken(post: Post, { stream }: Exchange<Post>, error: Error): void {
    this.#running -= 1;
    const { outgoing } = post;
    if (outgoing === undefined || outgoing.isSettled || this.#isClosed) return;
    outgoing.drop = undefined;
    if (!outgoing.sent) this.#listener.notTaken(outgoing, unreachable(error), post.session !== this.#session);
    else this.#resume(post, stream?.lastId, stream?.retryMs, messageOf(error));
  }

  /** A stream with event ids can be taken up where it broke. */
  #resume(post: Post, lastId: string | undefined, retryMs: number | undefined, why: string): void {
    const { outgoing, resumes } = post;
    const { maxResumes, resumeMs } = this.#options;
    if (outgoing === undefined) return;
    outgoing.drop = undefined;
    if (lastId === undefined || resumes >= maxResumes || post.session !== this.#session) {
      const text = `the connection ended before the answer: ${why}; it may have run, check its effect before calling again`;
      this.#fail(outgoing, new GatewayError('UPSTREAM_CLOSED', text, { details: { mayHaveRun: true } }));
      return;
    }
    this.#later(retryMs ?? resumeMs, () => {
      if (outgoing.isSettled || this.#pool === undefined) return;
      const exchange = new Exchange<Post>(this, { ...post, resumes: resumes + 1 });
      outgoing.drop = () => this.#drop(exchange);
      this.#running += 1;
      dispatch(
        this.#pool,
        { method: 'GET', path: this.#path, headers: this.#streamHeaders(lastId) },
        exchange,
      );
    });
  }

  /** The standing stream; a server without one answers 405. */
  #listen(lastId: string | undefined, attempt: number): void {
    if (this.#pool === undefined || this.#isClosed || this.#revision === undefined) return;
    const exchange = new Exchange<Standing>(this.#standingOwner, { session: this.#session, attempt });
    this.#standing = exchange;
    dispatch(this.#pool, { method: 'GET', path: this.#path, headers: this.#streamHeaders(lastId) }, exchange);
  }

  readonly #standingOwner: ExchangeOwner<Standing> = {
    maxMessageBytes: Number.POSITIVE_INFINITY,
    begun: () => undefined,
    head: () => undefined,
    event: (_, event, data) => {
      if (event === 'message') this.#listener.message(data);
    },
    answered: ({ session }, { status, location }, body) => {
      if (session !== this.#session || this.#isClosed) return;
      if (this.#sessionId !== undefined && isSessionLoss(status, body))
        this.#listener.sessionLost(statusError(status, body, location));
    },
    streamEnded: ({ session }, { stream }) => this.#listenAgain(session, stream?.lastId, stream?.retryMs, 0),
    broken: ({ session, attempt }, { stream }, error) => {
      if (session !== this.#session || this.#isClosed) return;
      // Nobody listens there any more; what still runs may end.
      if (stream === undefined && this.#running === 0) this.#listener.closed(unreachable(error));
      else this.#listenAgain(session, stream?.lastId, stream?.retryMs, attempt + 1);
    },
  };

  #listenAgain(
    session: number,
    lastId: string | undefined,
    retryMs: number | undefined,
    attempt: number,
  ): void {
    if (session !== this.#session || this.#isClosed) return;
    this.#later(retryMs ?? this.#options.resumeMs, () => {
      if (session === this.#session) this.#listen(lastId, attempt);
    });
  }

  #endStanding(): void {
    this.#standing?.drop();
    this.#standing = undefined;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  async #deleteSession(pool: Pool): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.closeTimeoutMs);
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const owner = {
        maxMessageBytes: 65_536,
        begun: idle,
        head: idle,
        event: idle,
        answered: end,
        streamEnded: end,
        broken: end,
      };
      const request = { method: 'DELETE', path: this.#path, headers: this.#headers } as const;
      dispatch(pool, request, new Exchange<undefined>(owner, undefined));
    });
  }

  #fail(outgoing: Outgoing, error: GatewayError): void {
    this.#listener.failed(outgoing, error);
  }

  #later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isClosed) run();
    }, ms);
    this.#timers.add(timer);
  }

  /** Built once per session, not per call. */
  #prepare(): void {
    const own = [
      ...['content-type', 'application/json', 'accept', 'application/json, text/event-stream'],
      ...(this.#sessionId === undefined ? [] : ['mcp-session-id', this.#sessionId]),
      ...(this.#revision === undefined ? [] : ['mcp-protocol-version', this.#revision]),
    ];
    this.#headers = [...own, ...Object.entries(this.#options.headers).flat()];
  }

  #streamHeaders(lastId: string | undefined): string[] {
    const headers = [...this.#headers];
    headers[3] = 'text/event-stream';
    return lastId === undefined ? headers.slice(2) : [...headers.slice(2), 'last-event-id', lastId];
  }
}

interface Standing {
  readonly session: number;
  readonly attempt: number;
}

/** Servers say it in three ways; 404 is the specified one. */
function isSessionLoss(status: number, body: string): boolean {
  return status === 404 || ((status === 400 || status === 503) && /session/i.test(body));
}

function noAnswer(status: number): string {
  return `HTTP ${status} came without the answer`;
}
function idle(): void {
  // Nothing to do.
}
