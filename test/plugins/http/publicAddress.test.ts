import { expect } from 'chai';
import { startAuthServer } from '../../support/authServer.ts';
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
});
