import { coreTool, textResult } from '../../../kernel/index.ts';
import type { Caller, JsonObject } from '../../../kernel/index.ts';
import { startAuthServer } from '../../support/authServer.ts';
import type { AuthServer, AuthServerOptions } from '../../support/authServer.ts';
import { initializeBody, metaTool, postMcp, toolsPlugin } from '../../support/edge.ts';
import { moduleOf } from '../../support/gateway.ts';
import { post, resultText, statelessCall } from '../../support/stateless.ts';

export type Headers = Readonly<Record<string, string>>;

const TOOLS = [
  metaTool('whoami', (_, { request }) => textResult(JSON.stringify(request.caller))),
  coreTool({ name: 'core_one', description: 'one', run: () => textResult('one') }),
  coreTool({ name: 'core_two', description: 'two', run: () => textResult('two') }),
];

/** A gateway with sign-in that trusts these issuers. */
export async function startTrusting(
  trustedIssuers: readonly JsonObject[],
  options: Pick<AuthServerOptions, 'files' | 'settings'> & { config?: JsonObject; plugins?: JsonObject } = {},
): Promise<AuthServer> {
  const { config = {}, settings = {}, files = {}, plugins = {} } = options;
  return startAuthServer({
    builtIns: [
      ...['http', 'front', 'transport-http', 'transport-sse', 'metatools', 'toolsets', 'vault-memory'],
      ...['auth-server', 'auth-exchange', 'access'],
    ],
    files: { 'tools.mjs': moduleOf(toolsPlugin('test-tools', TOOLS)), ...files },
    settings: { ...settings, plugins: { 'test-tools': { module: './tools.mjs' }, ...plugins } },
    config: { trustedIssuers, ...config },
  });
}

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** Whom a gateway takes the holder of a token for. */
export async function callerOf(base: string, token: string): Promise<Caller> {
  return JSON.parse(resultText(await post(base, statelessCall('whoami'), bearer(token)))) as Caller;
}

/** A session of `/mcp`, as headers. */
export async function sessionOf(base: string, token: string): Promise<Headers> {
  const opened = await postMcp(base, initializeBody(), bearer(token));
  return {
    ...bearer(token),
    'mcp-session-id': String(opened.headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  };
}
