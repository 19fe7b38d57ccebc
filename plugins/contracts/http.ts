import type { IncomingMessage, ServerResponse } from 'node:http';
import { many, one } from 'pegboard';
import type { GatewayError, InboundRequest, JsonObject, NoDetails, Reply } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the caller is not identified */
    REQUEST_UNAUTHENTICATED: NoDetails;
    /** Host, Origin or caller is not allowed */
    REQUEST_FORBIDDEN: NoDetails;
    /** the request does not follow the protocol */
    REQUEST_MALFORMED: NoDetails;
    /** no such path or session */
    REQUEST_NOT_FOUND: NoDetails;
    /** the path does not support this method */
    REQUEST_METHOD: NoDetails;
    /** the client does not accept the content type of the answer */
    REQUEST_NOT_ACCEPTABLE: NoDetails;
    /** the content type or encoding of the body is not supported */
    REQUEST_MEDIA_TYPE: NoDetails;
    /** the body is over the limit */
    REQUEST_TOO_LARGE: NoDetails;
    /** the body did not arrive in time */
    REQUEST_TIMEOUT: NoDetails;
  }
  interface EventMap {
    /** Callers are no longer admitted: standing streams of requests for which `hasLeft` is true end. */
    'callers.left': { readonly hasLeft: (request: InboundRequest) => boolean };
  }
}

/** One HTTP exchange as a route sees it. */
export interface HttpExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Values of `:name` parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Reads the body as UTF-8. @param maxBytes a bound below plugins.http.config.maxBodyBytes
   *  @throws GatewayError REQUEST_TOO_LARGE, REQUEST_TIMEOUT, REQUEST_MALFORMED */
  body(maxBytes?: number): Promise<string>;
  /** Marks the response as a standing stream: a stop ends it instead of waiting for it.
   *  @param end how to end it; default: ends the response */
  standing(end?: () => void): void;
}

/** A path of the public listener. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';
  /** The path in the syntax of @koa/router: `/mcp`, `/sessions/:id`. */
  readonly path: string;
  readonly access: 'caller' | 'public';
  /** The body of a refusal in this route's protocol; default: plain JSON. */
  refusalBody?(error: GatewayError): JsonObject;
  /** @returns the response, or undefined if the route writes to `exchange.res` itself.
   *  @throws GatewayError; the listener turns it into a status and a JSON body. */
  handle(exchange: HttpExchange, request: InboundRequest): Reply | undefined | Promise<Reply | undefined>;
}
export const Route = many<Route>('route');

/** What this process needs to serve requests as one of several, provided by plugins whose partner may be lost. */
export interface Readiness {
  /** Why /ready answers 503, for anyone to read; undefined if it need not. */
  readonly unready: string | undefined;
  /** What /ready?verbose says besides, for anyone to read: no names, no addresses. */
  details?(): JsonObject;
}
export const Readiness = many<Readiness>('readiness');

/** The public listener; provided by the plugin `http`. */
export interface HttpListener {
  /** `http://host:port`, or undefined while it does not listen. */
  url(): string | undefined;
  isShut(): boolean;
  /** The file descriptors of its sockets, for processes that accept at them too; empty where there are none. From then on the
   *  sockets stay open, as those do that another process has opened for this one. */
  share(): readonly number[];
  /** Accepts no more connections until reopen(), an edit of config.yaml, or SIGHUP; running requests are answered. */
  shut(): void;
  /** Closes the listener and opens it again: running requests are answered, standing streams end.
   *  @throws GatewayError PLUGIN_START; the listener is shut then */
  reopen(): Promise<void>;
}
export const HttpListener = one<HttpListener>('http-listener');
