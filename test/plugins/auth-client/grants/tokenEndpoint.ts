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
 *  answer. */
export class TokenEndpoint {
  readonly requests: TokenRequest[] = [];
  readonly server: OutageServer;
  /** Seconds; undefined: not said. */
  expiresIn: number | undefined = 3_600;
  /** What answers have beside; undefined members are left out. */
  more: Body = {};
  /** In place of tokens. */
  refusal: { readonly status: number; readonly body: unknown } | undefined;
  /** The refresh token is spent, and the connection ends without an answer. */
  losesAnswers = false;
  #count = 0;

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
  /** The one that it accepts now. */
  get refreshToken(): string {
    return `refresh-${this.#count}`;
  }
  get accessToken(): string {
    return `access-${this.#count}`;
  }
  /** Another client has used the refresh token. */
  rotate(): void {
    this.#count += 1;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    this.requests.push({ form, authorization: request.headers.authorization });
    const send = (status: number, body: unknown): unknown =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    if (this.refusal !== undefined) return send(this.refusal.status, this.refusal.body);
    if (form['refresh_token'] !== this.refreshToken) return send(400, { error: 'invalid_grant' });
    this.rotate();
    if (this.losesAnswers) return response.destroy();
    return send(200, {
      ...{ access_token: this.accessToken, token_type: 'Bearer', refresh_token: this.refreshToken },
      expires_in: this.expiresIn,
      ...this.more,
    });
  }
}
