import type { Dispatcher } from 'undici';

/** Where the requests of one connection go. A redirect that was followed with success changes the path. */
export class RequestRoute {
  readonly origin: string;
  path: string;

  constructor({ origin, pathname, search }: URL) {
    this.origin = origin;
    this.path = pathname + search;
  }
}

export interface RequestParts {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly to: RequestRoute;
  readonly headers: string[];
  readonly body?: string;
}

/** One request as undici takes it, which follows one redirect. No time-outs: calls have their own. */
export class HttpRequest implements Dispatcher.DispatchOptions {
  readonly method: RequestParts['method'];
  path: string;
  readonly headers: string[];
  readonly body: string | null;
  readonly headersTimeout = 0;
  readonly bodyTimeout = 0;
  /** Whether its answer is a redirect that is to be followed. */
  isRedirected = false;
  readonly #to: RequestRoute;
  #isMoved = false;

  constructor({ method, to, headers, body = '' }: RequestParts) {
    this.method = method;
    this.path = to.path;
    this.headers = headers;
    this.body = body === '' ? null : body;
    this.#to = to;
  }

  /** Takes the head of an answer. Method and body stay the same with 307 and 308 only, and the headers, which may hold credentials, go to
   *  no other origin. Source: RFC 9110 §15.4.8, §15.4.9 @returns whether to send the request again, to the path it has then */
  redirected(status: number, location: string | undefined): boolean {
    const { origin } = this.#to;
    if (this.#isMoved) {
      this.isRedirected = false;
      if (status < 300) this.#to.path = this.path;
      return false;
    }
    if ((status !== 307 && status !== 308) || location === undefined) return false;
    const target = URL.canParse(location, origin + this.path)
      ? new URL(location, origin + this.path)
      : undefined;
    if (target?.origin !== origin) return false;
    this.path = target.pathname + target.search;
    this.#isMoved = true;
    this.isRedirected = true;
    return true;
  }
}
