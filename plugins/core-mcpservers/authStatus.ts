import { ConfigControl } from 'pegboard';
import type { JsonObject, KernelEvent, Scope } from 'pegboard';
import type { McpResourceSource } from '../upstream/contract.ts';
import { MCP_SERVER } from './mcpServerKind.ts';
import type { McpServerSpec } from './mcpServerKind.ts';
import { serviceOf } from './serverRecord.ts';
import { sessionStatus } from './words.ts';

const URI = 'auth://status';
const MIME_TYPE = 'application/json';
const ENTRY = {
  uri: URI,
  name: 'auth-status',
  description: 'Which MCP servers are connected, and which are not, need a sign-in or are suspended',
  mimeType: MIME_TYPE,
};

/** The resource `auth://status`: `{"servers":[{name, status, suspended?, error?}]}`, by name. Source: requirement resource.auth. */
export class AuthStatus implements McpResourceSource {
  readonly #scope: Scope<unknown>;
  readonly #listeners = new Set<() => void>();

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  resources(): readonly JsonObject[] {
    return [ENTRY];
  }

  templates(): readonly JsonObject[] {
    return [];
  }

  read(uri: string): Promise<string> | undefined {
    if (uri !== URI) return undefined;
    const text = JSON.stringify({ servers: this.#servers() });
    return Promise.resolve(JSON.stringify({ contents: [{ uri, mimeType: MIME_TYPE, text }] }));
  }

  subscribe(uri: string, _: unknown, updated: () => void): Promise<() => void> | undefined {
    if (uri !== URI) return undefined;
    // A new function each time: two sessions may pass the same one.
    const listener = (): void => updated();
    this.#listeners.add(listener);
    return Promise.resolve(() => this.#listeners.delete(listener));
  }

  hear({ type }: KernelEvent): void {
    if (type === 'server.stateChanged') for (const updated of this.#listeners) updated();
  }

  #servers(): readonly JsonObject[] {
    const servers = this.#scope.get(ConfigControl).resources(MCP_SERVER);
    return servers
      .map(({ name, spec }) => {
        const { state = 'stopped', error } = serviceOf(name, this.#scope) ?? {};
        const { suspended } = spec as McpServerSpec;
        const status = sessionStatus(state);
        return { name, status, ...(suspended && { suspended }), ...(error !== undefined && { error }) };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
