import { GatewayError } from 'pegboard';
import type { Pool } from 'undici';
import { failSkipped } from './answerLeftOut.ts';
import { encodingWords } from './encodingWords.ts';
import { isRefusal } from './clientCertificate.ts';
import { Exchange } from './exchange.ts';
import { openPool } from './openPool.ts';
import type { ExchangeOwner } from './exchange.ts';
import type { HttpOptions } from './httpWire.ts';
import { cutShort, statusError, unreachable } from './httpErrors.ts';
import { RequestRoute } from './httpRequest.ts';
import { PLAIN } from './httpSession.ts';
import { atMessagePath, otherOrigin } from './messagePath.ts';
import { SocketFlow } from './socketFlow.ts';
import { NOTHING_QUOTED } from './standardError.ts';
import type { Quotes } from './standardError.ts';
import { transportWords } from './transportWords.ts';
import { Unawaited } from './unawaited.ts';
import type { Outgoing, Wire, WireListener } from './wire.ts';

export interface SseOptions extends HttpOptions {
  /** Where messages are posted instead of the path that the server announces; at the origin of `url`. */
  readonly messageUrl?: URL;
}

/** The older transport: one event stream for all messages of the server, a POST for each message to it.
 *  Source: MCP 2024-11-05, Transports. */
export class SseWire implements Wire, ExchangeOwner<Outgoing | undefined> {
  readonly maxMessageBytes: number;
  /** This transport does not resume streams. */
  readonly maxEventIdBytes = 0;
  readonly flow: SocketFlow;
  readonly #options: SseOptions;
  readonly #listener: WireListener;
  readonly #unawaited: Unawaited;
  #pool: Pool | undefined;
  readonly #route: RequestRoute;
  /** The route of messages, once the server has named it. */
  #messages: RequestRoute | undefined;
  #stream: Exchange<undefined> | undefined;
  #isClosed = false;
  #giveUp: ((error: GatewayError) => void) | undefined;

  constructor(options: SseOptions, listener: WireListener) {
    this.#options = options;
    this.#listener = listener;
    this.maxMessageBytes = options.maxMessageBytes;
    this.#route = new RequestRoute(options.url);
    this.flow = new SocketFlow(options.limits, (error) => this.#gone(error));
    const { limits, maxConnections } = options;
    this.#unawaited = new Unawaited(limits, maxConnections, (text) => this.#post(text, undefined));
  }

  /** Resolves after the server has sent the url for messages. */
  async open(): Promise<void> {
    const pool = await openPool(this.#options, this.flow);
    if (this.#isClosed) return pool.destroy();
    this.#pool = pool;
    await new Promise<void>((resolve, reject) => {
      this.#giveUp = reject;
      const stream = new Exchange<undefined>(this.#streamOwner(resolve, reject), undefined);
      this.#stream = stream;
      const headers = ['accept', 'text/event-stream', ...PLAIN, ...this.#ownHeaders()];
      stream.send(pool, { method: 'GET', to: this.#route, headers });
    });
  }

  request(outgoing: Outgoing): void {
    this.#post(outgoing.text, outgoing);
  }
  notify(text: string): void {
    this.#unawaited.send(text);
  }

  #post(body: string, outgoing: Outgoing | undefined): Exchange<Outgoing | undefined> | undefined {
    if (this.#pool === undefined || this.#messages === undefined) return undefined;
    const own = ['content-type', 'application/json', ...PLAIN, ...this.#ownHeaders()];
    const headers = outgoing?.trace ? [...own, ...outgoing.trace] : own;
    const exchange = new Exchange<Outgoing | undefined>(this, outgoing);
    if (outgoing !== undefined) outgoing.carrier = exchange;
    exchange.send(this.#pool, { method: 'POST', to: this.#messages, headers, body });
    return exchange;
  }

  #ownHeaders(): readonly string[] {
    return Object.entries(this.#options.headers()).flat();
  }

  agreed(): void {
    // This transport has no header for the revision.
  }
  renew(): void {
    // The stream is the session.
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.flow.end();
    this.#unawaited.end();
    this.#stream?.drop();
    this.#giveUp?.(new GatewayError('UPSTREAM_CLOSED', 'the connection attempt was cancelled'));
    await this.#pool?.destroy();
  }

  quotes(): Quotes {
    return NOTHING_QUOTED;
  }

  begun(outgoing: Outgoing | undefined): void {
    if (outgoing !== undefined) outgoing.sent = true;
  }
  head(): void {
    // Headers are not needed.
  }
  event(): number {
    // Answers arrive on the one stream.
    return 1;
  }
  streamEnded(): void {
    // See event().
  }
  answered(outgoing: Outgoing | undefined, exchange: Exchange<unknown>, body: string): void {
    if (outgoing === undefined) return;
    // The POST has ended; the answer arrives on the one stream.
    outgoing.carrier = undefined;
    if (exchange.status >= 300) this.#listener.failed(outgoing, this.#refused(exchange, body));
  }
  #refused(exchange: Exchange<unknown>, body: string): GatewayError {
    const { redact } = this.#options;
    return atMessagePath(statusError(exchange, body, redact), this.#messages?.path ?? '', redact);
  }
  broken(outgoing: Outgoing | undefined, { status }: Exchange<unknown>, error: Error): void {
    if (outgoing === undefined || outgoing.isSettled || this.#isClosed) return;
    if (isRefusal(error)) outgoing.sent = false;
    if (outgoing.sent) {
      this.#listener.failed(outgoing, cutShort(transportWords(error), status));
    } else this.#gone(unreachable(error));
  }
  released(_: Outgoing | undefined, exchange: Exchange<Outgoing | undefined>, isAnswered: boolean): void {
    if (isAnswered) this.#unawaited.answered(exchange);
    else exchange.drop();
  }

  #streamOwner(opened: () => void, failed: (error: GatewayError) => void): ExchangeOwner<undefined> {
    const end = (error: GatewayError): void => {
      if (this.#messages === undefined) failed(error);
      else this.#gone(error);
    };
    return {
      maxMessageBytes: this.maxMessageBytes,
      maxEventIdBytes: 0,
      flow: this.flow,
      memory: () => this.#options.memory(undefined),
      givenUp: (ends, why) => failSkipped(this.#listener, ends, why),
      begun: () => undefined,
      head: () => undefined,
      event: (_, { event, data }) => {
        if (event === 'message') return this.#listener.message(data);
        if (event === 'endpoint' && this.#messages === undefined) {
          const refusal = this.#postTo(data);
          if (refusal === undefined) opened();
          else failed(refusal);
        }
        return 1;
      },
      answered: (_, exchange, body) => {
        if (exchange.status >= 300) end(statusError(exchange, body, this.#options.redact));
        else
          end(
            new GatewayError(
              'UPSTREAM_UNREACHABLE',
              'it answered without an event stream; check type in its definition',
              { details: { status: exchange.status } },
            ),
          );
      },
      streamEnded: (_, exchange) => {
        const encoding = encodingWords(exchange, this.#options.redact);
        const text = encoding === undefined ? 'the server ended its event stream' : `it answered ${encoding}`;
        end(new GatewayError('UPSTREAM_CLOSED', text));
      },
      broken: (_, __, error) => end(unreachable(error)),
    };
  }

  /** @returns why the endpoint is refused */
  #postTo(endpoint: string): GatewayError | undefined {
    const { origin, path } = this.#route;
    const { messageUrl } = this.#options;
    const announced = URL.canParse(endpoint, origin + path) ? new URL(endpoint, origin + path) : undefined;
    if (announced !== undefined && (messageUrl !== undefined || announced.origin === origin)) {
      this.#messages = new RequestRoute(
        messageUrl === undefined ? announced : withQuery(messageUrl, announced),
      );
      return undefined;
    }
    return otherOrigin(announced, this.#options.url, this.#options.redact);
  }

  #gone(error: GatewayError): void {
    if (this.#isClosed) return;
    this.#listener.closed(error);
  }
}

/** The address with the query of another, which names the session. */
function withQuery(address: URL, { search }: URL): URL {
  const url = new URL(address);
  if (search !== '') url.search = url.search === '' ? search : `${url.search}&${search.slice(1)}`;
  return url;
}
