import type { RequestListener, ServerResponse } from 'node:http';
import { HttpListener, RequestGate, Route, definePlugin, readSchema } from 'pegboard';
import type { Scope } from 'pegboard';
import type { HttpConfig } from './config.ts';
import { LOOPBACK_ADDRESSES } from './hosts.ts';
import type { Listener } from './listener.ts';

/** The public listener: koa, the routes that other plugins provide, Host and Origin, limits, orderly stop. */
export const plugin = definePlugin<HttpConfig>({
  name: 'http',
  api: 1,
  edge: true,
  configSchema: readSchema('config/http'),
  enabled: ({ aggregator }) => aggregator.enabled && aggregator.transport !== 'stdio',
  select: ({ aggregator, plugins }) => {
    const entry = plugins['http'];
    const own = typeof entry === 'object' ? entry.config : {};
    return { ...own, host: aggregator.host, port: aggregator.port };
  },
  provides: [HttpListener, Route],
  apply,
});

function apply(scope: Scope<HttpConfig>): void {
  let { config } = scope;
  let listener: Listener | undefined;
  let handler: RequestListener | undefined;
  const standing = new Set<ServerResponse>();

  const rebuild = async (): Promise<void> => {
    const { createHandler } = await import('./server.ts');
    handler = createHandler({
      config,
      log: scope.log,
      gate: () => scope.get(RequestGate),
      routes: scope.all(Route),
      standing: (res) => {
        standing.add(res);
        res.once('close', () => standing.delete(res));
      },
    });
  };

  scope.provide(Route, {
    method: 'GET',
    path: '/health',
    access: 'public',
    handle: () => ({ status: 200, body: { status: 'ok' } }),
  });
  scope.provide(HttpListener, { url: () => listener && urlOf(config.host, listener.port) });
  scope.onStart(async () => {
    await rebuild();
    const { listen } = await import('./listener.ts');
    listener = await listen(config, (req, res) => handler?.(req, res));
    scope.each(Route, () => {
      void rebuild();
      return () => void rebuild();
    });
    if (!LOOPBACK_ADDRESSES.has(config.host)) {
      scope.log.warn(
        'listening beyond this machine: whoever reaches the port can call every tool unless a plugin signs people in',
        {
          host: config.host,
        },
      );
    }
  });
  scope.onReload(async (next) => {
    const fixed = ['host', 'port', 'maxHeaderBytes'] as const;
    const changed = fixed.find((key) => next[key] !== config[key]);
    if (changed !== undefined) throw new Error(`${changed} changed`);
    config = next;
    listener?.tune(next);
    await rebuild();
  });
  scope.onStop(async () => {
    for (const res of standing) res.end();
    await listener?.close(config.stopGraceMs);
  });
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
