import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import type { OutageServer } from '../../../support/serveWithOutages.ts';

type Body = Readonly<Record<string, unknown>>;
export interface TokenRequest {
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

/** The token endpoint of an authorization server at `/token`: each refresh token is accepted once, and the next one is in the
 *  answer. Tokens are `access-0` and `refresh-0`, then `access-1` and so on; those of a named person `access-ada-0`. */
export class TokenEndpoint {
  readonly requests: TokenRequest[] = [];
  readonly server: OutageServer;
  /** Seconds; undefined: not said. */
  expiresIn: number | undefined = 3_600;
  /** What answers have beside; undefined members are left out. */
  more: Body = {};
  /** The answer in place of tokens. */
  refusal: { readonly status: number; readonly body: unknown } | undefined;
  /** The refresh token is spent, and the connection ends without an answer. */
  losesAnswers = false;
  /** Refresh tokens are accepted again after they were used. */
  isLenient = false;
  readonly #counts = new Map<string, number>();
  readonly #ends = new Map<string, number>();

  private constructor(server: OutageServer) {
    this.server = server;
  }

  static async open(): Promise<TokenEndpoint> {
    const server = await serveWithOutages((request, response) => opened.#answer(request, response));
    const opened = new TokenEndpoint(server);
    return opened;
  }

  get url(): string {
    return `${this.server.url}/token`;
  }
  /** Those that it accepts now. */
  tokensOf(person = ''): { readonly accessToken: string; readonly refreshToken: string } {
    const suffix = `${person === '' ? '' : `${person}-`}${this.countOf(person)}`;
    return { accessToken: `access-${suffix}`, refreshToken: `refresh-${suffix}` };
  }
  /** Number of refreshes so far, for each person apart. */
  countOf(person = ''): number {
    return this.#counts.get(person) ?? 0;
  }
  /** Whether a server would accept the token of a refresh now. */
  accepts(accessToken: string): boolean {
    return (this.#ends.get(accessToken) ?? Infinity) > Date.now();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    this.requests.push({ form, authorization: request.headers.authorization });
    const send = (status: number, body: unknown): unknown =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    if (this.refusal !== undefined) return send(this.refusal.status, this.refusal.body);
    const given = form['refresh_token'] ?? '';
    const person = /^refresh-(\w+)-/.exec(given)?.[1] ?? '';
    const isCurrent = given === this.tokensOf(person).refreshToken;
    if (!isCurrent && !this.isLenient) return send(400, { error: 'invalid_grant' });
    this.#counts.set(person, this.countOf(person) + 1);
    const { accessToken, refreshToken } = this.tokensOf(person);
    this.#ends.set(accessToken, Date.now() + (this.expiresIn ?? Infinity) * 1_000);
    if (this.losesAnswers) return response.destroy();
    return send(200, {
      access_token: accessToken,
      token_type: 'Bearer',
      refresh_token: refreshToken,
      expires_in: this.expiresIn,
      ...this.more,
    });
  }
}
