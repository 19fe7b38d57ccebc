import type { ServerConfig } from '../config.ts';

/** The paths at which clients reach MCP. */
const MCP_PATH = /^\/(mcp|sse|message|mcp\/t\/[^/]+)$/;

/** The addresses of this gateway, always built from baseUrl, never from a request's Host. */
export class Addresses {
  readonly #config: () => ServerConfig;

  constructor(config: () => ServerConfig) {
    this.#config = config;
  }

  /** The issuer. */
  get base(): string {
    return this.#config().baseUrl.replace(/(?<!\/)\/+$/, '');
  }

  get isHttps(): boolean {
    return this.base.startsWith('https:');
  }

  /** The path of the issuer, without a slash at its end; empty for most. */
  get basePath(): string {
    return new URL(this.base).pathname.replace(/(?<!\/)\/+$/, '');
  }

  at(path: string): string {
    return this.base + path;
  }

  /** What access tokens are for. */
  get audience(): string {
    return this.#config().resourceIdentifier || this.base;
  }

  /** The resource of a protected-resource document. @param path `/mcp`; empty for the document without a suffix */
  resourceAt(path: string): string {
    // Strict clients compare it with the address that they were given (RFC 9728 §3.3).
    return path !== '' && this.#isBelow(this.audience) ? this.at(path) : this.audience;
  }

  /** The document for a path of MCP. */
  documentFor(path: string): string {
    return this.at(`/.well-known/oauth-protected-resource${MCP_PATH.test(path) ? path : ''}`);
  }

  /** Whether a `resource` names this gateway or one of its MCP paths (RFC 8707). */
  isOwn(resource: string): boolean {
    return resource === this.audience || isSameAddress(resource, this.audience) || this.#isBelow(resource);
  }

  /** Whether it is baseUrl or one of its MCP paths. */
  #isBelow(resource: string): boolean {
    const asked = canonical(resource);
    const base = canonical(this.base) ?? '';
    if (asked === undefined || !asked.startsWith(base)) return false;
    return asked === base || MCP_PATH.test(asked.slice(base.length));
  }
}

/** Scheme and host in lower case, no default port, no slash at the end; undefined if it has a fragment or userinfo. */
function canonical(resource: string): string | undefined {
  if (!URL.canParse(resource)) return undefined;
  const url = new URL(resource);
  if (url.hash !== '' || url.username !== '' || url.password !== '') return undefined;
  return url.origin === 'null' ? resource : `${url.origin}${url.pathname.replace(/\/$/, '')}${url.search}`;
}

function isSameAddress(one: string, other: string): boolean {
  const address = canonical(one);
  return address !== undefined && address === canonical(other);
}
