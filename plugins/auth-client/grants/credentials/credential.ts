import { GatewayError } from 'pegboard';
import type { CallerCredential, CredentialRefusal } from '../../../contracts/credentials.ts';
import type { CredentialSource } from '../sources/credentialSource.ts';

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** One owner's credential for one server: what several sources give. */
export class Credential implements CallerCredential {
  readonly owner: string;
  readonly #server: string;
  /** The first one gives the headers, and answers for what the server refuses. */
  readonly #sources: readonly CredentialSource[];

  constructor(owner: string, server: string, sources: readonly CredentialSource[]) {
    this.owner = owner;
    this.#server = server;
    this.#sources = sources;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#sources[0]?.headers ?? NO_HEADERS;
  }
  get values(): Readonly<Record<string, string>> {
    return Object.assign({}, ...this.#sources.map(({ values }) => values)) as Record<string, string>;
  }
  get secrets(): readonly string[] {
    return this.#sources.flatMap(({ secrets }) => secrets);
  }

  prepare(): Promise<void> | undefined {
    const waiting = this.#sources.map((source) => source.prepare()).filter((one) => one !== undefined);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
  }

  async refused(refusal: CredentialRefusal): Promise<boolean> {
    return (await this.#sources[0]?.refused(refusal)) ?? false;
  }
  get fault(): GatewayError {
    return this.#sources[0]?.fault ?? noSource(this.#server);
  }
  get missing(): GatewayError | undefined {
    return this.#sources.map(({ missing }) => missing).find((one) => one !== undefined);
  }
  get retryAt(): number | undefined {
    const all = this.#sources.map(({ retryAt }) => retryAt).filter((one) => one !== undefined);
    return all.length === 0 ? undefined : Math.max(...all);
  }

  /** State of single sign-on: it has failed, or is waited for; undefined otherwise. */
  get progress(): 'failed' | 'pending' | undefined {
    return this.#sources[0]?.progress;
  }

  async isUsable(): Promise<boolean> {
    const found = await Promise.all(this.#sources.map((source) => source.isUsable()));
    return found.length > 0 && found.every(Boolean);
  }
}

function noSource(server: string): GatewayError {
  return new GatewayError(
    'UPSTREAM_AUTH_REQUIRED',
    `MCP server ${server} refuses calls, and its definition says auth.type none; set auth.type oauth, or headers`,
    { details: { server } },
  );
}
