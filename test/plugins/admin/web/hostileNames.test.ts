import { expect } from 'chai';
import { textResult } from '../../../../kernel/index.ts';
import { definePlugin } from '../../../../kernel/contracts/plugin.ts';
import { GrantStore } from '../../../../plugins/contracts/credentials.ts';
import { SignInList } from '../../../../plugins/contracts/oauth.ts';
import { ServiceSource } from '../../../../plugins/contracts/services.ts';
import { pagesOf } from '../../../../plugins/admin/pagesOf.ts';
import type { PageParts } from '../../../../plugins/admin/pagesOf.ts';
import { matchRoutes } from '../../../../plugins/admin/web/matchRoutes.ts';
import { listenerUrl, postMcp } from '../../../support/edge.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

const LONG = 'x'.repeat(10_000);
const NAMES = [
  '<script>alert(1)</script>',
  `"'><img src=x onerror=alert(1)>`,
  `\u202e\u0000\u001b[31m`,
  LONG,
];

function evilPlugin(name: string) {
  return definePlugin({
    name: 'evil',
    api: 1,
    configSchema: { type: 'object' },
    provides: [GrantStore, ServiceSource, SignInList],
    apply: (scope) => {
      scope.addTool({
        name: `tool ${name}`,
        kind: 'tool',
        server: name,
        description: name,
        inputSchema: { type: 'object', title: name, properties: { [name]: { description: name } } },
        invoke: () => textResult(name),
      });
      const record = {
        name,
        service_type: 'MCPServer' as const,
        state: name,
        health: 'unhealthy',
        error: name,
        metadata: { type: name, url: name, lastError: name, recommended: name, collisions: [name], tools: 1 },
      };
      const who = { subject: name, person: name, clientId: name, address: name, since: '' };
      const grant = { id: name, holder: name, server: name, state: 'lost' as const, reason: name, ...who };
      const all = () => Promise.resolve([grant]);
      scope.provide(GrantStore, { all } as unknown as GrantStore);
      scope.provide(SignInList, { of: all } as unknown as SignInList);
      scope.onStart(() => {
        scope.emit({ type: 'server.failed', server: name, reason: name, message: name, severity: 'Warning' });
      });
      scope.provide(ServiceSource, { services: () => [{ name, status: () => record, toolsFor: () => 1 }] });
    },
  });
}

describe('a hostile name', () => {
  const harmless = (text: string, where: string): void => {
    expect(text, where).not.match(/<script>|<img|x{6000}/);
    for (const char of ['\u202e', '\u0000', '\u001b']) expect(text, where).not.include(char);
    expect(text.length, where).lessThan(200_000);
  };
  const open = (name: string): Promise<AdminSite> =>
    openAdmin({
      files: {
        'config.yaml': JSON.stringify({
          plugins: { 'auth-client': false, evil: { module: './evil.mjs', config: { [name]: name } } },
        }),
        'mcpservers/shop.yaml': JSON.stringify({
          type: 'stdio',
          command: ['/nowhere', name.replaceAll('\0', '')],
          autoStart: false,
          description: name,
        }),
        'evil.mjs': moduleOf(evilPlugin(name)),
      },
    });

  for (const [at, name] of NAMES.entries()) {
    it(`of a server, tool, client, toolset, grant, event or key is harmless on every page (${at + 1} of ${NAMES.length})`, async () => {
      const site = await open(name);
      const header =
        /^[\x20-\x7e]*$/.test(name) && name.length < 5_000 ? { 'x-service-toolset': `tool:${name}` } : {};
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: name } };
      const url = listenerUrl(site.gateway);
      await postMcp(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, header);
      const { items } = await site.facts<{ items: readonly { id: string }[] }>('/sessions');
      const part = encodeURIComponent(name);
      const id = items[0]?.id ?? '';
      const shown = [
        ...[
          '/',
          '/sessions',
          `/sessions/${id}`,
          '/mcps',
          '/mcps/new',
          `/mcps/${part}`,
          '/mcps/shop',
          '/mcps/shop/edit',
        ],
        ...['/tools', `/tools?query=${part}`, `/tools/tool%20${part}`, '/explain'],
        ...[`/explain?session=${id}&tool=tool%20${part}`, '/workflows', '/runs', '/grants', '/config'],
        '/connect',
        ...[
          '/toolsets',
          `/toolsets?person=${part.slice(0, 9_000)}&toolset=${part.slice(0, 900)}`,
          `/toolsets?groups=${part.slice(0, 9_000)}`,
        ],
        ...['/logs', `/logs?source=${part}`, `/mcps/${part}/logs`, `/search?q=${part}`],
        ...['/sign-ins', '/events', `/events?name=${part.slice(0, 9_000)}`],
      ];
      const missing = [`/workflows/${part}`, `/runs/${part}`, `/mcps/${part}/edit`];
      const { pages } = pagesOf({} as PageParts);
      const visited = [...shown, ...missing].flatMap((path) => matchRoutes(pages, path.replace(/\?.*/, '')));
      expect(pages.filter((page) => !visited.some(({ route }) => route === page))).deep.equal([]);
      for (const path of [...shown, ...missing]) {
        const { status, text } = await site.get(path);
        expect(status, path.slice(0, 40)).equal(missing.includes(path) ? 404 : 200);
        harmless(
          text.replace(/(value|href|action|data-keep|name)="[^"]*"|<(pre|textarea)[^]*?<\/\2>/g, ''),
          path.slice(0, 40),
        );
        expect(text).not.match(/<script>|<img/);
        // A long reason is cut before it.
        if (path === '/grants' && name.length < 500)
          expect(text).include('has to sign in at it').and.not.include('call_tool');
      }
    });

    it(`in a path is harmless on every route (${at + 1} of ${NAMES.length})`, async () => {
      const site = await openAdmin();
      const part = encodeURIComponent(name);
      const gets = [`/${part}`, `/sessions/${part}`, `/mcps/${part}`, `/explain?session=${part}&tool=a`];
      for (const path of [...gets, `/calls/${part}/cancel`]) {
        const { status, text } = await site.get(path);
        expect(status, path.slice(0, 40)).within(400, 499);
        harmless(text, path.slice(0, 40));
      }
      const posts = [
        `/sessions/${part}/delete`,
        `/sessions/${part}/servers/${part.slice(0, 3_000)}/reconnect`,
      ];
      for (const path of [...posts, `/mcps/${part}/stop`, `/calls/${part}/cancel`]) {
        const { status, text } = await site.post(path, { next: name });
        expect(status, path.slice(0, 40)).within(400, 499);
        harmless(text, path.slice(0, 40));
      }
    });
  }
});
