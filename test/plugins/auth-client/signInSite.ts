import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureContext } from 'node:tls';
import type { SignInFound } from '../../../plugins/contracts/signIns.ts';
import { findSignIn } from '../../../plugins/auth-client/discovery/findSignIn.ts';
import type { Outside } from '../../../plugins/auth-client/discovery/network.ts';
import { httpsSite } from '../../support/httpsSite.ts';
import type { HttpsSite } from '../../support/httpsSite.ts';

export type Handle = (response: ServerResponse, request: IncomingMessage) => void;
type Document = Readonly<Record<string, unknown>>;

interface Asked {
  /** `resource_metadata` of the challenge, and what else it has. */
  readonly challenges?: readonly string[];
  readonly url?: string;
  readonly isFar?: true;
  readonly signal?: AbortSignal;
  readonly network?: Partial<Outside>;
}

/** An MCP server at https://mcp.example/mcp and its authorization server https://login.example/, as the Internet would see
 *  them. `inside.example` has a private address. */
export class SignInSite {
  readonly site: HttpsSite;
  /** `host/path` of each request, in order. */
  readonly requests: string[] = [];
  readonly #answers = new Map<string, Handle>();

  private constructor(site: HttpsSite) {
    this.site = site;
  }

  static async open(): Promise<SignInSite> {
    const site = await httpsSite(
      (request, response) => opened.#answer(request, response),
      ...['mcp.example', 'login.example', 'other.example', 'inside.example'],
    );
    const opened = new SignInSite(site);
    opened.reset();
    return opened;
  }

  at(host: string, path = ''): string {
    return `https://${host}.example:${this.site.port}${path}`;
  }

  /** Publishes nothing any more. */
  reset(): void {
    this.#answers.clear();
    this.requests.length = 0;
    for (const host of ['mcp', 'login', 'other']) this.site.names.set(`${host}.example`, [['93.184.216.34']]);
    this.site.names.set('inside.example', [['10.1.2.3']]);
  }

  handle(place: string, handle: Handle): void {
    this.#answers.set(place.replace(`https://`, '').replace(/\.example:\d+/, ''), handle);
  }
  publish(place: string, document: unknown): void {
    this.handle(place, (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document)),
    );
  }

  /** The honest metadata of the server, at the place for its path. */
  resource(
    changes: Document = {},
    place = this.at('mcp', '/.well-known/oauth-protected-resource/mcp'),
  ): void {
    const honest = { resource: this.at('mcp', '/mcp'), authorization_servers: [this.at('login')] };
    this.publish(place, { ...honest, ...changes });
  }
  /** The honest metadata of the authorization server. */
  server(changes: Document = {}, place = this.at('login', '/.well-known/oauth-authorization-server')): void {
    const honest = {
      issuer: this.at('login'),
      authorization_endpoint: this.at('login', '/authorize'),
      token_endpoint: this.at('login', '/token'),
      code_challenge_methods_supported: ['S256'],
    };
    this.publish(place, { ...honest, ...changes });
  }

  find(asked: Asked = {}): Promise<SignInFound> {
    const { challenges = ['Bearer'], url = this.at('mcp', '/mcp'), network } = asked;
    const { isFar, signal = new AbortController().signal } = asked;
    const { ca, resolve, dial } = this.site;
    const trust = () => ({ secureContext: createSecureContext({ ca: [...ca] }) });
    return findSignIn({ url, challenges, isFar, signal }, { trust, resolve, dial, ...network });
  }
  /** What is wrong. @throws Error if nothing is */
  async fault(asked?: Asked): Promise<string> {
    const found = await this.find(asked);
    if ('fault' in found) return found.fault;
    throw new Error(`accepted: ${JSON.stringify(found.facts)}`);
  }
  /** @throws Error with the fault */
  async facts(asked?: Asked) {
    const found = await this.find(asked);
    if ('facts' in found) return found.facts;
    throw new Error(`refused: ${found.fault}`);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const place = `${(request.headers.host ?? '').replace(/\.example:\d+$/, '')}${request.url ?? ''}`;
    this.requests.push(place);
    const handle = this.#answers.get(place);
    if (handle === undefined) response.writeHead(404).end();
    else handle(response, request);
  }
}
