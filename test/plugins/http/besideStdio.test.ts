import { expect } from 'chai';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { HttpListener } from '../../../plugins/contracts/http.ts';
import { defer } from '../../support/cleanup.ts';
import { bootGateway } from '../../support/gateway.ts';
import { send } from '../../support/rawHttp.ts';

const START = '/oauth/proxy/start';

/** The listener of a gateway whose clients use stdio; undefined if none listens. */
async function listenerUrl(port: number, isEnabled: boolean): Promise<string | undefined> {
  const { kernel } = await bootGateway({
    builtIns: [
      ...['http', 'auth-client', 'vault-memory'],
      ...['front', 'metatools', 'toolsets', 'transport-http', 'transport-sse'],
    ],
    files: { 'config.yaml': 'plugins: { vault-memory: true }\n', 'state/.keep': '' },
    aggregator: { transport: 'stdio', port, oauth: { mcpClient: { enabled: isEnabled } } },
  });
  return (kernel.registry.all(HttpListener.id)[0] as HttpListener | undefined)?.url();
}

describe('http: beside stdio', () => {
  it('listens for the pages of sign-ins at servers only, and not at all without them', async () => {
    const url = (await listenerUrl(0, true)) ?? '';
    expect((await send(url + START, { method: 'GET' })).status).equal(400);
    expect((await send(`${url}/mcp`, { method: 'POST', body: '{}' })).status).equal(404);
    expect(await listenerUrl(0, false)).equal(undefined);
  });

  it('takes a free port if another process has the configured one', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    defer(() => new Promise((resolve) => other.close(resolve)));
    const { port } = other.address() as AddressInfo;
    const url = new URL((await listenerUrl(port, true)) ?? '');
    expect(Number(url.port)).not.equal(port);
    expect((await send(url.origin + START, { method: 'GET' })).status).equal(400);
  });
});
