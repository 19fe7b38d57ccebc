import { expect } from 'chai';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';

type Json = Readonly<Record<string, unknown>>;

async function json(url: string): Promise<Json> {
  const answer = await fetch(url);
  expect(answer.status, url).equal(200);
  expect(answer.headers.get('content-type')).include('application/json');
  return (await answer.json()) as Json;
}
const RESOURCE = '/.well-known/oauth-protected-resource';
const SERVER = '/.well-known/oauth-authorization-server';

describe('auth-server: documents', () => {
  let auth: AuthServer;
  before(async () => {
    auth = await startAuthServer();
  });

  it('describe the resource at the root and at each path of MCP, so that strict clients find what they asked for', async () => {
    const { base } = auth;
    for (const path of ['', '/mcp', '/sse', '/mcp/t/sums']) {
      const document = await json(`${base}${RESOURCE}${path}`);
      expect(document).include({ resource: base + path });
      expect(document['authorization_servers']).deep.equal([base]);
      expect(document['bearer_methods_supported']).deep.equal(['header']);
    }
    expect((await fetch(`${base}${RESOURCE}/admin`)).status).equal(404);
    expect((await fetch(`${base}${RESOURCE}`, { method: 'POST' })).status).equal(405);
  });

  it('name resourceIdentifier as the resource', async () => {
    const named = await startAuthServer({ config: { resourceIdentifier: 'https://tools.example/mcp' } });
    for (const path of ['', '/mcp'])
      expect(await json(`${named.base}${RESOURCE}${path}`)).include({
        resource: 'https://tools.example/mcp',
      });
    const { access } = await named.tokens({ resource: 'https://tools.example/mcp' });
    expect((await named.mcp(access)).status).equal(200);
  });

  it('describe the authorization server, in the forms of RFC 8414 and OIDC', async () => {
    const { base } = auth;
    const document = await json(base + SERVER);
    expect(document).deep.equal(await json(`${base}/.well-known/openid-configuration`));
    expect(document).include({
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      registration_endpoint: `${base}/oauth/register`,
      revocation_endpoint: `${base}/oauth/revoke`,
      introspection_endpoint: `${base}/oauth/introspect`,
      userinfo_endpoint: `${base}/oauth/userinfo`,
      jwks_uri: `${base}/.well-known/jwks.json`,
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect(document['code_challenge_methods_supported']).deep.equal(['S256']);
    expect(document['response_types_supported']).deep.equal(['code']);
    // Not offline_access, for which clients would have people asked for consent: each sign-in can be refreshed.
    expect(document['scopes_supported']).deep.equal(['openid', 'profile', 'email', 'groups']);
    expect(await json(`${base}/.well-known/jwks.json`)).deep.equal({ keys: [] });
  });

  it('do not follow the Host of a request', async () => {
    const document = await json(auth.base.replace('localhost', '127.0.0.1') + SERVER);
    expect(document).include({ issuer: auth.base });
  });

  it('do not mention what is switched off', async () => {
    const closed = await startAuthServer({
      config: {
        enableCIMD: false,
        allowLocalhostRedirectURIs: false,
        allowWellKnownRedirectURIs: false,
      },
    });
    const document = await json(closed.base + SERVER);
    expect(document).include({ client_id_metadata_document_supported: false });
    expect(document).not.have.property('registration_endpoint');
  });

  it('are absent while sign-in is off', async () => {
    const open = await startAuthServer({ config: { enabled: false }, idp: {} });
    for (const path of [RESOURCE, SERVER, '/oauth/authorize', '/.well-known/jwks.json'])
      expect((await fetch(open.base + path)).status).equal(404);
    expect((await open.mcp(undefined)).status).equal(200);
  });

  it('are found below an issuer with a path', async () => {
    const below = await startAuthServer({ config: { baseUrl: 'https://gateway.example.com/tools/' } });
    for (const path of [
      `${SERVER}/tools`,
      '/.well-known/openid-configuration/tools',
      '/tools/.well-known/openid-configuration',
    ])
      expect(await json(below.base + path)).include({ issuer: 'https://gateway.example.com/tools' });
  });
});
