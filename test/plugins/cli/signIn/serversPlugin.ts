import { definePlugin, textResult, rawResult } from '../../../../kernel/index.ts';
import type { JsonObject, Tool } from '../../../../kernel/index.ts';
import { McpResourceSource } from '../../../../plugins/contracts/mcp.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Files } from '../../../support/directory.ts';
import { bootGateway, moduleOf } from '../../../support/gateway.ts';
import { listenerUrl } from '../../../support/edge.ts';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';

const URI = 'auth://status';

/** A plugin of the test: its servers are only what `auth://status` says about them. */
export interface TestServers {
  /** Files to write into the configuration directory. */
  readonly files: Files;
  /** Section `plugins` of config.yaml. */
  readonly plugins: JsonObject;
  /** What `auth://status` reports about each server; a test changes it. */
  readonly servers: Record<string, JsonObject>;
  /** Servers whose sign-in pages were opened, in order. */
  readonly opened: readonly string[];
  /** Calls of the core tools. */
  readonly calls: readonly string[];
  /** How often `auth://status` was read. */
  readonly reads: () => number;
}

export interface ServersGateway extends TestServers {
  readonly endpoint: string;
}

/** Their links end with the server connected, and lead to `redirect`. */
export async function makeServers(servers: Record<string, JsonObject>): Promise<TestServers> {
  const opened: string[] = [];
  const calls: string[] = [];
  let reads = 0;
  const pages = await serveWithOutages((req, res) => {
    const { searchParams } = new URL(req.url ?? '', 'http://localhost');
    const name = searchParams.get('state') ?? '';
    const redirect = searchParams.get('redirect');
    opened.push(name);
    servers[name] = { status: 'connected', grant: { state: 'valid' } };
    if (redirect === null) res.end('signed in');
    else res.writeHead(303, { location: redirect }).end();
  });
  const source: McpResourceSource = {
    resources: () => [{ uri: URI, name: 'auth-status' }],
    templates: () => [],
    read: (uri) => {
      if (uri !== URI) return undefined;
      reads += 1;
      const all = Object.entries(servers).map(([name, status]) => ({ name, ...status }));
      const contents = [{ uri, text: JSON.stringify({ servers: all }) }];
      return Promise.resolve(JSON.stringify({ contents }));
    },
  };
  const tools = [
    core('core_auth_login', (name) => {
      calls.push(`login ${name}`);
      const { refusal, retryAfter, told, ...others } = servers[name] ?? {};
      if (typeof retryAfter === 'number') {
        servers[name] = others;
        const content = [{ type: 'text', text: 'Rate limit exceeded.' }];
        return rawResult(JSON.stringify({ content, structuredContent: { retryAfter }, isError: true }));
      }
      if (typeof refusal === 'string') return textResult(refusal, true);
      if (typeof told === 'string') {
        if (told.startsWith('Successfully')) servers[name] = { status: 'connected' };
        return textResult(told);
      }
      const authUrl = `${pages.url}/oauth/proxy/start?state=${name}`;
      const text = `Please sign in to connect to this server:\n\n${authUrl}\n\nAfter signing in, run this tool again.`;
      const content = [{ type: 'text', text }];
      return rawResult(JSON.stringify({ content, structuredContent: { authUrl } }));
    }),
    core('core_auth_logout', (name) => {
      calls.push(`logout ${name}`);
      servers[name] = { status: 'auth_required', auth_tool: 'core_auth_login' };
      return textResult(`Successfully logged out from '${name}'.`);
    }),
  ];
  const plugin = definePlugin({
    name: 'test-servers',
    api: 1,
    configSchema: { type: 'object' },
    provides: [McpResourceSource],
    apply: (scope) => {
      scope.provide(McpResourceSource, source);
      for (const tool of tools) scope.addTool(tool);
    },
  });
  return {
    files: { 'test-servers.mjs': moduleOf(plugin) },
    plugins: { 'test-servers': { module: './test-servers.mjs' } },
    servers,
    opened,
    calls,
    reads: () => reads,
  };
}

/** A gateway without sign-in of its own. */
export async function startServersGateway(servers: Record<string, JsonObject>): Promise<ServersGateway> {
  const made = await makeServers(servers);
  const config = JSON.stringify({ aggregator: { port: 0 }, plugins: made.plugins });
  const directory = makeDirectory({ ...made.files, 'config.yaml': config, 'state/.keep': '' });
  const builtIns = ['http', 'front', 'transport-http', 'metatools', 'toolsets'];
  const gateway = await bootGateway({ directory, builtIns });
  return { ...made, endpoint: `${listenerUrl(gateway)}/mcp` };
}

function core(name: string, run: (server: string) => ReturnType<Tool['invoke']>): Tool {
  const inputSchema = { type: 'object', properties: { server: { type: 'string' } } };
  return { name, kind: 'core', description: name, inputSchema, invoke: ({ server }) => run(String(server)) };
}
