import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { newBrowser, signIn } from '../support/browser.ts';
import { EVERYTHING, freePort } from '../support/everything.ts';
import { FRONT_PROXIES, needFrontProxy, startFrontProxy } from '../support/frontProxy.ts';
import { startIdentityProvider } from '../support/identityProvider.ts';
import { needRedis, startRedis } from '../support/redis.ts';
import { SDK_CALLBACK, sdkSignIn } from '../support/sdkSignIn.ts';
import { sharedProcesses } from '../support/sharedProcesses.ts';
import { until } from '../support/until.ts';
import { withVariables } from '../support/withVariables.ts';

const SERVER = { type: 'stdio', command: [process.execPath, EVERYTHING, 'stdio'], autoStart: true };
const PAUSE_MS = 50;
/** In place of the 60 s of the files, so that a call of 5 s outlasts them as one of minutes does; comments keep its stream open. */
const shortened = (text: string): string =>
  text
    .replace('proxy_read_timeout 60s', 'proxy_read_timeout 2s')
    .replace(/timeout (client|server) 60s/g, 'timeout $1 2s')
    .replace('ProxyTimeout 60', 'ProxyTimeout 2');

async function call(client: Client, name: string, args: object, told?: () => void): Promise<string> {
  const params = { name: 'call_tool', arguments: { name, arguments: args } };
  return JSON.stringify(await client.callTool(params, undefined, told && { onprogress: told }));
}

describe('heavy: proxies in front of two gateways (examples/proxies)', function () {
  this.timeout(120_000);
  before(function () {
    needRedis(this);
  });

  for (const proxy of FRONT_PROXIES)
    it(`${proxy.program}: sign-in, streams, a slow call, and no call lost while each gateway restarts`, async function () {
      needFrontProxy(this, proxy);
      // Its certificate is signed by no authority.
      withVariables({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
      const port = await freePort();
      const base = `https://localhost:${port}/tools`;
      const provider = await startIdentityProvider({ redirectUris: [`${base}/oauth/callback`] });
      const trustedProxyCIDRs = ['127.0.0.1/32', '::1/128'];
      const server = { enabled: true, baseUrl: base, idp: provider.config, trustedProxyCIDRs };
      const processes = sharedProcesses(
        await startRedis(),
        ['everything', SERVER],
        { http: { config: { drainMs: 2_000 } }, 'transport-http': { config: { keepAliveMs: 500 } } },
        { aggregator: { oauth: { server } } },
      );
      const ports = [await freePort(), await freePort()];
      const start = (own: number) => processes.start(`at-${own}`, ['--port', String(own)]);
      const gateways = await Promise.all(ports.map(start));
      await Promise.all(gateways.map((gateway) => gateway.logged('identity provider found')));
      await startFrontProxy(proxy, port, ports, shortened);

      const client = await sdkSignIn(`${base}/mcp`, (url) =>
        signIn(url.href, { browser: newBrowser(), until: (at) => at.startsWith(SDK_CALLBACK) }),
      );
      expect(gateways.flatMap(({ lines }) => lines.filter(({ level }) => level === 'error'))).deep.equal([]);
      const steps: number[] = [];
      const slow = await call(
        client,
        'x_everything_trigger-long-running-operation',
        { duration: 5, steps: 5 },
        () => void steps.push(performance.now()),
      );
      expect(slow).contain('Long running operation completed');
      // One after another, not together at the end.
      expect((steps.at(-1) ?? 0) - (steps[0] ?? 0)).above(2_500);

      let [calls, isOver] = [0, false];
      const lost: string[] = [];
      const load = Array.from({ length: 4 }, async () => {
        while (!isOver) {
          calls += 1;
          await client.ping().catch((error: unknown) => lost.push(inspect(error)));
          // The client of the SDK keeps a listener for each request that it has ever made.
          await pause(PAUSE_MS);
        }
      });
      for (const [at, gateway] of gateways.entries()) {
        const before = calls;
        await gateway.stop();
        await start(ports[at] ?? 0);
        await until(() => calls > before + 20, { what: 'the load continues', withinMs: 20_000 });
        // A proxy looks each second, or after 2 s, whether a gateway is back.
        await pause(2_500);
      }
      isOver = true;
      await Promise.all(load);
      expect(lost, `of ${calls} calls: ${lost.slice(0, 3).join()}`).deep.equal([]);
    });
});
