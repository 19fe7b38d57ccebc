import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import type { Typed } from '../../../support/typeVerb.ts';

type Document = Readonly<Record<string, unknown>>;
const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const SERVER = '/.well-known/oauth-authorization-server';

describe('pegboard auth login at a gateway that cannot be trusted', () => {
  let base = '';
  let resource: Document = {};
  let server: Document = {};
  let registered = 0;
  before(async () => {
    const gateway = createServer((req, res) => {
      const header = `Bearer resource_metadata="${base}${RESOURCE}"`;
      const documents: Readonly<Record<string, () => Document>> = {
        [RESOURCE]: () => ({ resource: `${base}/mcp`, authorization_servers: [base], ...resource }),
        [SERVER]: () => ({
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          ...server,
        }),
      };
      if (req.url === '/register') registered += 1;
      const document = documents[req.url ?? ''];
      if (document === undefined)
        res.writeHead(req.url === '/mcp' ? 401 : 404, { 'www-authenticate': header }).end();
      else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document()));
    });
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    defer(() => gateway.close());
    base = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  });
  const logIn = (changes: { resource?: Document; server?: Document } = {}): Promise<Typed> => {
    ({ resource = {}, server = {} } = changes);
    const args = ['auth', 'login', '--endpoint', `${base}/mcp`, '--config-path', makeDirectory().path];
    return typeVerb(args, { BROWSER: '/bin/false' });
  };

  it('T95: refuses a resource of another origin, and metadata of another issuer', async () => {
    const other = await logIn({ resource: { resource: 'https://other.example/mcp' } });
    expect(other).include({ code: 3, stdout: '' });
    expect(other.stderr).contain('it says that its address is https://other.example/mcp');
    const issuer = await logIn({ server: { issuer: 'https://other.example' } });
    expect(issuer).include({ code: 3 });
    expect(issuer.stderr).contain('https://other.example');
  });

  it('T95: refuses an authorization server without S256, also if it does not say what it supports', async () => {
    for (const methods of [['plain'], [], undefined]) {
      const { code, stderr } = await logIn({ server: { code_challenge_methods_supported: methods } });
      expect(code).equal(3);
      expect(stderr).contain(`${base} does not support PKCE with S256`);
    }
  });

  it('refuses addresses that are neither https nor on this machine', async () => {
    for (const name of ['authorization_endpoint', 'token_endpoint']) {
      const { code, stderr } = await logIn({ server: { [name]: 'http://tools.example.com/x' } });
      expect(code).equal(3);
      expect(stderr).contain('http://tools.example.com/x is neither https nor on this machine');
    }
  });

  it('refuses documents over 64 KiB, those without an authorization server, and missing ones', async () => {
    expect((await logIn({ server: { padding: 'x'.repeat(70_000) } })).stderr).contain('over 65536 bytes');
    const none = await logIn({ resource: { authorization_servers: [] } });
    expect(none).include({ code: 3 });
    expect(none.stderr).contain('names no authorization server');
  });

  it('says that a server without registration does not register this program, and prints no control characters', async () => {
    const { code, stderr } = await logIn();
    expect(code).equal(3);
    expect(stderr).equal(`pegboard: ${base} does not register this program: it has no address for that\n`);
    const refused = await logIn({ server: { registration_endpoint: `${base}/register` } });
    expect(refused).include({ code: 3 });
    expect(refused.stderr).contain('does not register this program: 404');
    expect(registered).equal(1);
  });
});
