import { isGatewayError } from 'pegboard';
import type { GatewayError } from 'pegboard';
import type { Pool } from 'undici';
import { answerLeftOut } from './answerLeftOut.ts';
import { isRefusal } from './clientCertificate.ts';
import { encodingWords } from './encodingWords.ts';
import type { StreamEvent } from './eventReader.ts';
import { Exchange } from './exchange.ts';
import { openPool } from './openPool.ts';
import type { ExchangeOwner } from './exchange.ts';
import type { PoolParts } from './openPool.ts';
import { cutShort, isChallenge, isRevisionRefusal } from './httpErrors.ts';
import { noAnswerIn, statusError, unreachable } from './httpErrors.ts';
import { RequestRoute } from './httpRequest.ts';
import { HttpSession } from './httpSession.ts';
import { isSessionLoss, lostSession } from './sessionLoss.ts';
import { resumeWait } from './resumeWait.ts';
import type { ResumeWaits } from './resumeWait.ts';
import { StandingStream } from './standingStream.ts';
import { probedStatus } from './probedStatus.ts';
import { SocketFlow } from './socketFlow.ts';
import type { FlowLimits } from './unaskedFlow.ts';
import { NOTHING_QUOTED } from './standardError.ts';
import type { Quotes } from './standardError.ts';
import { transportWords } from './transportWords.ts';
import { Unawaited } from './unawaited.ts';
import type { NoticeLimits } from './unawaited.ts';
import { isUnanswered } from './wire.ts';
import type { MemoryOf, Outgoing, Wire, WireListener } from './wire.ts';

export interface HttpOptions extends ResumeWaits, PoolParts {
  /** Headers of the definition and of the credential; another object when they have changed. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  readonly maxEventIdBytes: number;
  readonly closeTimeoutMs: number;
  readonly limits: () => FlowLimits & NoticeLimits;
  /** Maximum of consecutive resumes without a new event. */
  readonly maxResumes: number;
  readonly memory: MemoryOf;
  /** Hides the values of env and headers in text of the server. */
  readonly redact: (text: string) => string;
}

/** The context of one POST or of a GET that resumes its stream. */
interface Post {
  /** The request; undefined for notifications and answers. */
  readonly outgoing: Outgoing | undefined;
  /** Its headers of the modern era, as sent. */
  readonly modern: Outgoing['headers'];
  /** Number of the session it was sent in, and whether the server had assigned an id. */
  readonly session: number;
  readonly hadSession: boolean;
  /** Number of consecutive resumes without a new event, and the id of the last event. */
  readonly resumes: number;
  readonly lastId: string | undefined;
}

/** Streamable HTTP: a POST per message, answered with JSON or an event stream, and a GET stream for messages the server
 *  sends outside of requests. Source: MCP 2025-11-25, Transports. */
export class HttpWire implements Wire, ExchangeOwner<Post> {
  readonly maxMessageBytes: number;
  readonly maxEventIdBytes: number;
  readonly flow: SocketFlow;
  readonly #options: HttpOptions;
  readonly #listener: WireListener;
  readonly #route: RequestRoute;
  #pool: Pool | undefined;
  readonly #session: HttpSession;
  readonly #standing: StandingStream;
  readonly #unawaited: Unawaited;
  #isClosed = false;
  /** Timers of call streams that are to be resumed. */
  readonly #resumeTimers = new Set<NodeJS.Timeout>();

  constructor(options: HttpOptions, listener: WireListener) {
    this.#options = options;
    this.#listener = listener;
    this.maxMessageBytes = options.maxMessageBytes;
    this.maxEventIdBytes = options.maxEventIdBytes;
    this.flow = new SocketFlow(options.limits, (error) => this.#gone(error));
    this.#route = new RequestRoute(options.url);
    this.#session = new HttpSession(options.headers);
    this.#standing = new StandingStream({
      listener,
      get: (exchange, lastId) => this.#get(exchange, lastId),
      waits: options,
      maxMessageBytes: options.maxMessageBytes,
      maxEventIdBytes: options.maxEventIdBytes,
      flow: this.flow,
      memory: options.memory,
    });
    const { limits, maxConnections } = options;
    this.#unawaited = new Unawaited(limits, maxConnections, (text) =>
      this.#post(text, this.#newPost(undefined)),
    );
  }

  get hears(): boolean {
    return this.#standing.isOpen;
  }
  get sessionId(): string | undefined {
    return this.#session.id;
  }
  async open(): Promise<void> {
    const pool = await openPool(this.#options, this.flow);
    if (this.#isClosed) await pool.destroy();
    else this.#pool = pool;
  }

  request(outgoing: Outgoing): void {
    this.#post(outgoing.text, this.#newPost(outgoing));
  }
  /** Sends nothing unless initialize has agreed on a revision: the modern era has requests only. */
  notify(text: string): void {
    if (this.#session.hasRevision) this.#unawaited.send(text, () => this.#standing.accepted());
  }

  #newPost(outgoing: Outgoing | undefined): Post {
    const { number: session, hasId: hadSession } = this.#session;
    return { outgoing, modern: outgoing?.headers, session, hadSession, resumes: 0, lastId: undefined };
  }

  #post(body: string, post: Post): Exchange<Post> | undefined {
    if (this.#pool === undefined) return undefined;
    const exchange = new Exchange<Post>(this, post);
    if (post.outgoing !== undefined) post.outgoing.carrier = exchange;
    const { modern } = post;
    const own = modern === undefined ? this.#session.headers : this.#session.bareHeaders;
    const trace = post.outgoing?.trace;
    const headers = modern || trace ? [...own, ...(modern ?? []), ...(trace ?? [])] : own;
    exchange.send(this.#pool, { method: 'POST', to: this.#route, headers, body });
    return exchange;
  }

  #get<T>(exchange: Exchange<T>, lastId: string | undefined): void {
    if (this.#pool === undefined) return;
    const headers = this.#session.streamHeaders(lastId);
    exchange.send(this.#pool, { method: 'GET', to: this.#route, headers });
  }

  /** The status of a request without a message: a GET outside of a session, or the DELETE of one. */
  statusOf(method: 'GET' | 'DELETE', timeoutMs: number): Promise<number | undefined> {
    const headers = method === 'GET' ? this.#session.streamHeaders(undefined) : this.#session.headers;
    const parts = { method, headers, to: this.#route, flow: this.flow, timeoutMs };
    return this.#pool === undefined ? Promise.resolve(undefined) : probedStatus(this.#pool, parts);
  }

  resume(sessionId: string, revision: string): void {
    this.#session.given(sessionId);
    this.#session.agreed(revision);
  }
  agreed(revision: string): void {
    if (this.#isClosed) return;
    this.#session.agreed(revision);
    this.#standing.begin();
  }

  renew(): void {
    this.#session.renew();
    // Calls that wait to resume a broken stream will find another session, and fail.
    this.#standing.end();
  }

  async close(keepsSession = false): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.flow.end();
    this.#unawaited.end();
    this.#standing.end();
    for (const timer of this.#resumeTimers) clearTimeout(timer);
    this.#resumeTimers.clear();
    const pool = this.#pool;
    if (pool === undefined) return;
    if (this.#session.hasId && !keepsSession) await this.statusOf('DELETE', this.#options.closeTimeoutMs);
    await pool.destroy();
  }

  quotes(): Quotes {
    return NOTHING_QUOTED;
  }

  memory({ outgoing }: Post): ReturnType<MemoryOf> {
    return this.#options.memory(outgoing);
  }

  begun({ outgoing }: Post): void {
    if (outgoing !== undefined) outgoing.sent = true;
  }

  head({ session, modern }: Post, { sessionId }: Exchange<Post>): void {
    if (sessionId === undefined || modern !== undefined) return;
    if (session === this.#session.number) this.#session.given(sessionId);
  }

  event({ outgoing }: Post, { event, data }: StreamEvent): number {
    return event === 'message' ? this.#listener.message(data, outgoing) : 1;
  }

  answered(post: Post, exchange: Exchange<Post>, body: string): void {
    const { outgoing } = post;
    if (outgoing?.carrier !== exchange) return;
    outgoing.carrier = undefined;
    if (exchange.status < 300) {
      this.#listener.message(body, outgoing);
      if (isUnanswered(outgoing))
        this.#listener.failed(outgoing, noAnswerIn(exchange, body, this.#options.redact));
      return;
    }
    if (post.modern !== undefined && !isChallenge(exchange) && this.#isAnswer(body, outgoing)) return;
    const error = statusError(exchange, body, this.#options.redact);
    // A call whose stream broke has reached the server: it must not be sent again.
    if (post.lastId !== undefined) {
      this.#listener.failed(outgoing, cutShort(error.message));
      return;
    }
    if (this.#isLost(post, exchange.status, body)) {
      this.#listener.notTaken(outgoing, lostSession(error), post.session !== this.#session.number);
    } else this.#listener.failed(outgoing, error);
  }

  /** Whether the server has forgotten the session, or no longer speaks the agreed revision. */
  #isLost({ modern, hadSession }: Post, status: number, body: string): boolean {
    if (modern !== undefined) return status === 400 || status === 404 || status === 405;
    return (hadSession && isSessionLoss(status, body)) || isRevisionRefusal(status, body);
  }

  /** In the modern era, errors of the protocol have a status of their own. */
  #isAnswer(body: string, outgoing: Outgoing): boolean {
    if (!body.startsWith('{')) return false;
    this.#listener.message(body, outgoing);
    return !isUnanswered(outgoing);
  }

  streamEnded(post: Post, exchange: Exchange<Post>): void {
    const { outgoing } = post;
    if (outgoing?.carrier !== exchange) return;
    outgoing.carrier = undefined;
    const encoding = encodingWords(exchange, this.#options.redact);
    const why =
      encoding === undefined ? 'its event stream ended without the answer' : `it answered ${encoding}`;
    this.#resume(post, exchange, why);
  }

  broken(post: Post, exchange: Exchange<Post>, error: Error): void {
    const { outgoing } = post;
    if (outgoing?.carrier !== exchange || this.#isClosed) return;
    outgoing.carrier = undefined;
    if (isRefusal(error)) outgoing.sent = false;
    if (isGatewayError(error)) this.#listener.failed(outgoing, answerLeftOut(error));
    else if (!outgoing.sent)
      this.#listener.notTaken(outgoing, unreachable(error), post.session !== this.#session.number);
    else this.#resume(post, exchange, transportWords(error));
  }

  released({ outgoing }: Post, exchange: Exchange<Post>, isAnswered: boolean): void {
    if (outgoing !== undefined) outgoing.carrier = undefined;
    if (isAnswered) this.#unawaited.answered(exchange);
    else exchange.drop();
  }

  /** A stream with event ids can be resumed where it broke. */
  #resume(post: Post, { stream, status }: Exchange<Post>, why: string): void {
    const { outgoing, modern } = post;
    if (outgoing === undefined) return;
    const lastId = stream?.lastId ?? post.lastId;
    const resumes = lastId === post.lastId ? post.resumes : 0;
    const isSpent = resumes >= this.#options.maxResumes;
    if (!lastId || modern !== undefined || isSpent || post.session !== this.#session.number) {
      this.#listener.failed(outgoing, cutShort(why, status));
      return;
    }
    const timer = setTimeout(
      () => {
        this.#resumeTimers.delete(timer);
        if (outgoing.isSettled || this.#isClosed) return;
        if (post.session !== this.#session.number) {
          this.#listener.failed(outgoing, cutShort('its session is lost'));
          return;
        }
        const exchange = new Exchange<Post>(this, { ...post, resumes: resumes + 1, lastId });
        outgoing.carrier = exchange;
        this.#get(exchange, lastId);
      },
      resumeWait(stream?.retryMs, this.#options),
    );
    this.#resumeTimers.add(timer);
  }

  #gone(error: GatewayError): void {
    if (!this.#isClosed) this.#listener.closed(error);
  }
}
