import { ConfigControl, ToolTable } from 'pegboard';
import type { InboundRequest, JsonObject, KernelEvent, Resource, Scope } from 'pegboard';
import { SignInStatuses } from '../contracts/signIns.ts';
import type { SignInStatus } from '../contracts/signIns.ts';
import type { McpResourceSource } from '../contracts/mcp.ts';
import { MCP_SERVER } from './mcpServerKind.ts';
import type { McpServerSpec } from './mcpServerSpec.ts';
import { serviceOf } from './serverRecord.ts';
import { signInOf, statusFor } from './signInOf.ts';

const URI = 'auth://status';
const MIME_TYPE = 'application/json';
const ENTRY = {
  uri: URI,
  name: 'auth-status',
  description: 'Which MCP servers are connected, and which are not, need a sign-in or are suspended',
  mimeType: MIME_TYPE,
};

/** The resource `auth://status`: `{"servers":[{name, status, …}]}`, by name, as the caller of the request may know it.
 *  Source: requirement resource.auth. */
export class AuthStatus implements McpResourceSource {
  readonly #scope: Scope<unknown>;
  readonly #listeners = new Set<() => void>();

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
    scope.each(SignInStatuses, (statuses) => statuses.follow(() => this.#changed()));
  }

  resources(): readonly JsonObject[] {
    return [ENTRY];
  }

  templates(): readonly JsonObject[] {
    return [];
  }

  read(uri: string, request: InboundRequest): Promise<string> | undefined {
    return uri === URI ? this.#read(request) : undefined;
  }

  subscribe(uri: string, _: unknown, updated: () => void): Promise<() => void> | undefined {
    if (uri !== URI) return undefined;
    // A new function each time: two sessions may pass the same one.
    const listener = (): void => updated();
    this.#listeners.add(listener);
    return Promise.resolve(() => this.#listeners.delete(listener));
  }

  hear({ type }: KernelEvent): void {
    if (type === 'server.stateChanged') this.#changed();
  }

  #changed(): void {
    for (const updated of this.#listeners) updated();
  }

  async #read(request: InboundRequest): Promise<string> {
    const resources = this.#scope.get(ConfigControl).resources(MCP_SERVER);
    const inOrder = [...resources].sort((a, b) => (a.name < b.name ? -1 : 1));
    const table = this.#scope.get(ToolTable);
    const used = new Set(table.visibleTo(request).map(({ server }) => server));
    const mayLearn = (name: string, status: unknown): boolean =>
      // list_tools names what needs a sign-in to everyone.
      status === 'auth_required' ||
      used.has(name) ||
      !table.hides({ kind: 'server', name, server: name }, request);
    const all = await Promise.all(inOrder.map((resource) => this.#statusOf(resource, request)));
    const servers = all.filter(({ name, status }) => mayLearn(String(name), status));
    const contents = [{ uri: URI, mimeType: MIME_TYPE, text: JSON.stringify({ servers }) }];
    return JSON.stringify({ contents });
  }

  async #statusOf({ name, spec }: Resource, request: InboundRequest): Promise<JsonObject> {
    const { state = 'stopped', error } = serviceOf(name, this.#scope) ?? {};
    const { suspended } = spec as McpServerSpec;
    const signIn = await signInOf(name, request, this.#scope);
    const status = statusFor(state, signIn);
    // What a connection that all share was refused for is not a fault of the caller's own.
    const isOwn = signIn !== undefined && status === signIn.status;
    const own = status === 'connected' ? undefined : signIn?.fault;
    const fault = isOwn ? own : error;
    return {
      name,
      status,
      ...(suspended && { suspended }),
      ...(fault !== undefined && { error: fault }),
      ...(signIn !== undefined && aboutSignIn(signIn, status)),
    };
  }
}

function aboutSignIn(signIn: SignInStatus, status: string): JsonObject {
  const { grant, authTool, isForwarding, isExchanging, hasFailed } = signIn;
  const needsSignIn = status === 'auth_required' || status === 'reauth_required';
  const { issuer, scope } = grant ?? {};
  return {
    ...(needsSignIn && issuer !== undefined && { issuer }),
    ...(needsSignIn && scope !== undefined && { scope }),
    ...(needsSignIn && authTool !== undefined && { auth_tool: authTool }),
    ...(isForwarding === true && { token_forwarding_enabled: true }),
    ...(isExchanging === true && { token_exchange_enabled: true }),
    ...(hasFailed === true && { sso_attempt_failed: true }),
    ...(grant !== undefined && { grant }),
  };
}
