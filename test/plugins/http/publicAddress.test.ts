import { expect } from 'chai';
import { HttpListener } from '../../../plugins/contracts/http.ts';
import { startAuthServer } from '../../support/authServer.ts';
import { bootGateway } from '../../support/gateway.ts';
import { send } from '../../support/rawHttp.ts';

const PATH = '/.well-known/oauth-authorization-server';

describe('http: the public address of a gateway with sign-in', () => {
  it('is accepted as Host and as Origin, without further settings', async () => {
    const auth = await startAuthServer({ config: { baseUrl: 'https://gateway.example.com' } });
    const status = async (host: string, origin?: string): Promise<number> => {
      const headers = { host, ...(origin !== undefined && { origin }) };
      return (await send(auth.base + PATH, { method: 'GET', headers })).status;
    };
    expect(await status('gateway.example.com', 'https://gateway.example.com')).equal(200);
    expect(await status('gateway.example.org')).equal(403);
    expect(await status('gateway.example.com', 'https://evil.example')).equal(403);
  });

  it('lets pages of aggregator.oauth.server.allowedOrigins read the responses', async () => {
    const auth = await startAuthServer({
      config: { allowedOrigins: 'https://a.example, https://b.example' },
    });
    const answer = await send(auth.base + PATH, { method: 'GET', headers: { origin: 'https://b.example' } });
    expect(answer.headers['access-control-allow-origin']).equal('https://b.example');
  });

  it('is also that of aggregator.oauth.mcpClient.publicUrl, while people sign in at servers', async () => {
    for (const enabled of [true, false]) {
      const { kernel } = await bootGateway({
        builtIns: ['http', 'auth-client', 'vault-memory'],
        files: { 'config.yaml': 'plugins: { vault-memory: true }\n' },
        aggregator: { port: 0, oauth: { mcpClient: { enabled, publicUrl: 'https://pages.example.com' } } },
      });
      const url = (kernel.registry.all(HttpListener.id)[0] as HttpListener).url() ?? '';
      const headers = { host: 'pages.example.com', origin: 'https://pages.example.com' };
      const { status } = await send(`${url}/health`, { method: 'GET', headers });
      expect(status, String(enabled)).equal(enabled ? 200 : 403);
    }
  });
});
