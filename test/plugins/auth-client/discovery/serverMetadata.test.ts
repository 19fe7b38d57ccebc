import { expect } from 'chai';
import { SignInSite } from '../signInSite.ts';

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

describe('auth-client: metadata of authorization servers', () => {
  let site: SignInSite;
  before(async () => (site = await SignInSite.open()));
  beforeEach(() => {
    site.reset();
    site.resource();
  });
  const atLogin = (): string[] => site.requests.filter((place) => place.startsWith('login'));
  const place = (): string => site.at('login', OAUTH);

  it('is looked for as OAuth and as OpenID Connect have it, of issuers with a path in three places', async () => {
    site.server({}, site.at('login', OPENID));
    expect((await site.facts()).issuer).equal(site.at('login'));
    expect(atLogin()).deep.equal([`login${OAUTH}`, `login${OPENID}`]);
    const issuer = site.at('login', '/tenants/1');
    const forms = [`${OAUTH}/tenants/1`, `${OPENID}/tenants/1`, `/tenants/1${OPENID}`];
    for (const [index, form] of forms.entries()) {
      site.reset();
      site.resource({ authorization_servers: [issuer] });
      site.server({ issuer }, site.at('login', form));
      expect((await site.facts()).issuer).equal(issuer);
      expect(atLogin()).deep.equal(forms.slice(0, index + 1).map((one) => `login${one}`));
    }
    site.reset();
    site.resource({ authorization_servers: [issuer] });
    expect(await site.fault()).equal(
      `the authorization server ${issuer} publishes no metadata: ${forms.map((one) => `${site.at('login', one)} (HTTP 404)`).join(', ')}`,
    );
  });

  it('T95: is refused for another issuer, however alike, and accepted for the same', async () => {
    const issuer = site.at('login');
    const others = [`${issuer}/`, issuer.toUpperCase(), site.at('other'), `${issuer}/a`, '', undefined, 7];
    for (const other of others) {
      site.server({ issuer: other });
      expect(await site.fault(), String(other)).match(
        / is for the issuer .*, not https:\/\/login\.example:\d+$/,
      );
    }
    site.server();
    expect((await site.facts()).issuer).equal(issuer);
    site.resource({ authorization_servers: [`${issuer}/`] });
    expect(await site.fault()).contain(`is for the issuer ${issuer}, not ${issuer}/`);
    site.server({ issuer: `${issuer}/` });
    expect((await site.facts()).issuer).equal(`${issuer}/`);
  });

  it('T95: is refused without S256, also if it does not say what it supports', async () => {
    for (const code_challenge_methods_supported of [undefined, [], ['plain'], 'S256', ['s256']]) {
      site.server({ code_challenge_methods_supported });
      const cure =
        '; if it does and only its metadata does not say so, set auth.authorizationServer.assumePkce: true of the server, beside issuer';
      expect(await site.fault()).equal(
        `${place()}: the authorization server does not support PKCE with S256${code_challenge_methods_supported === undefined ? cure : ''}`,
      );
    }
    site.server({ code_challenge_methods_supported: ['plain', 'S256'] });
    expect((await site.facts()).issuer).equal(site.at('login'));
  });

  it('says how a client becomes known there, and whether answers name their issuer', async () => {
    site.server();
    const first = await site.facts();
    expect(first).include({ registration: 'configured-only', namesIssuer: false });
    const [authorization, token] = [site.at('login', '/authorize'), site.at('login', '/token')];
    expect(first.endpoints).deep.equal({ authorization, token });
    const registration = site.at('login', '/register');
    site.server({ registration_endpoint: registration, client_id_metadata_document_supported: 'true' });
    const second = await site.facts();
    expect(second).include({ registration: 'dynamic' });
    expect(second.endpoints).deep.equal({ authorization, token, registration });
    site.server({
      registration_endpoint: registration,
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
    expect(await site.facts()).include({ registration: 'client-document', namesIssuer: true });
  });

  it('has endpoints with https, or with http on this machine', async () => {
    for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']) {
      for (const url of ['http://login.example/x', 'javascript:alert(1)', 'file:///etc/passwd']) {
        site.server({ [name]: url });
        expect(await site.fault()).equal(
          `${place()}: its ${name} ${url} is neither https nor on this machine`,
        );
      }
      site.server({ [name]: '/relative' });
      expect(await site.fault()).equal(`${place()}: its ${name} is not a URL`);
      site.server({ [name]: site.at('other', '/x') });
      expect((await site.facts()).issuer).equal(site.at('login'));
    }
    for (const name of ['authorization_endpoint', 'token_endpoint']) {
      site.server({ [name]: undefined });
      expect(await site.fault()).equal(`${place()}: its ${name} is not a URL`);
    }
  });

  it('belongs to an issuer with https, without user information, query and fragment', async () => {
    const bad = [
      'http://login.example',
      'x',
      'javascript:alert(1)',
      `https://login.example/${'a'.repeat(2_000)}`,
    ];
    const parts = ['https://me:secret@login.example', `${site.at('login')}?a=b`, `${site.at('login')}#`];
    for (const issuer of [...bad, ...parts]) {
      site.resource({ authorization_servers: [issuer] });
      expect(await site.fault())
        .match(/issuer/)
        .and.not.contain('secret');
    }
    expect(atLogin()).deep.equal([]);
    site.resource();
    site.server();
    expect((await site.facts()).issuer).equal(site.at('login'));
  });

  it('is not guessed at if the authorization server is out of order', async () => {
    site.handle(place(), (response) => response.writeHead(503).end());
    site.server({}, site.at('login', OPENID));
    expect(await site.fault()).equal(`${place()} answers HTTP 503`);
  });
});
