import { expect } from 'chai';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import { SignInSite } from '../signInSite.ts';

const OAUTH = '/.well-known/oauth-authorization-server';
const PRIVATE = 'has a private or internal address';

describe('auth-client: finding the sign-in', () => {
  let site: SignInSite;
  before(async () => (site = await SignInSite.open()));
  beforeEach(() => {
    site.reset();
    site.resource();
    site.server();
  });
  const challenge = (url: string): string[] => [`Bearer resource_metadata="${url}"`];

  it('T96: refuses private addresses that a public server names, and sends nothing there', async () => {
    const hosts = ['inside.example', '10.1.2.3', '127.0.0.1', '[::1]', '169.254.169.254', 'localhost'];
    site.site.names.set('localhost', [['127.0.0.1']]);
    const before = site.site.dialled.length;
    for (const host of hosts) {
      const inside = `https://${host}:${site.site.port}`;
      expect(await site.fault({ challenges: challenge(`${inside}/m`) })).equal(
        `${inside}/m cannot be read: ${host}:${site.site.port} ${PRIVATE}`,
      );
      site.resource({ authorization_servers: [inside] });
      expect(await site.fault())
        .contain(`${inside}${OAUTH} cannot be read`)
        .and.contain(PRIVATE);
      site.resource();
      for (const name of ['token_endpoint', 'registration_endpoint']) {
        site.server({ [name]: `${inside}/x` });
        expect(await site.fault()).equal(`the ${name} ${inside}/x ${PRIVATE}`);
      }
      site.server();
    }
    expect(new Set(site.site.dialled.slice(before))).deep.equal(new Set(['93.184.216.34']));
    site.resource({}, site.at('other', '/m'));
    expect(await site.facts({ challenges: challenge(site.at('other', '/m')) })).include({
      issuer: site.at('login'),
    });
  });

  it('T96: refuses a host that has become private since it was looked up', async () => {
    site.site.names.set('mcp.example', [['93.184.216.34'], ['127.0.0.1']]);
    expect(await site.fault()).contain(PRIVATE);
    expect(site.requests).deep.equal([]);
    site.site.names.set('mcp.example', [['93.184.216.34']]);
    expect(await site.facts()).include({ issuer: site.at('login') });
  });

  it('reads private addresses on the host of a server that has one itself, and nowhere else', async () => {
    site.site.names.set('mcp.example', [['10.1.2.4']]);
    const network = { dial: () => '127.0.0.1' };
    expect(await site.facts({ network })).include({ issuer: site.at('login') });
    site.resource({ authorization_servers: [site.at('inside')] });
    expect(await site.fault({ network })).contain(PRIVATE);
    site.server({ issuer: site.at('mcp') }, site.at('mcp', OAUTH));
    site.resource({ authorization_servers: [site.at('mcp')] });
    expect(await site.facts({ network })).include({ issuer: site.at('mcp') });
  });

  it('reads http on this machine for a server on this machine, whatever it is called', async () => {
    const login = await serveWithOutages((_, response) => {
      const issuer = login.url.replace('127.0.0.1', 'localhost');
      const endpoints = { authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t` };
      response.end(JSON.stringify({ issuer, ...endpoints, code_challenge_methods_supported: ['S256'] }));
    });
    const issuer = login.url.replace('127.0.0.1', 'localhost');
    let issuers = [issuer];
    const server = await serveWithOutages((_, response) =>
      response.end(JSON.stringify({ resource: `${server.url}/mcp`, authorization_servers: issuers })),
    );
    const url = `${server.url}/mcp`;
    const network = { resolve: () => Promise.resolve(['127.0.0.1']), dial: (address: string) => address };
    expect(await site.facts({ url, network })).include({ issuer, resource: url });
    issuers = ['https://10.1.2.3'];
    expect(await site.fault({ url, network })).contain(PRIVATE);
    issuers = ['http://login.example'];
    expect(await site.fault({ url, network })).contain('neither https nor on this machine');
  });

  it('reads nothing of this machine or its link for a server of a team, whatever its name leads to', async () => {
    const network = { dial: () => '127.0.0.1' };
    for (const [first, then] of [
      ['127.0.0.1', '127.0.0.1'],
      ['169.254.169.254', '169.254.169.254'],
      ['10.1.2.4', '127.0.0.1'],
    ] as const) {
      site.site.names.set('mcp.example', [[first], [then]]);
      expect(await site.fault({ network, isFar: true }), first).contain(PRIVATE);
      expect(site.requests).deep.equal([]);
    }
    site.site.names.set('mcp.example', [['10.1.2.4']]);
    expect(await site.facts({ network, isFar: true })).include({ issuer: site.at('login') });
  });

  it('refuses a document of 10 MB, one that never ends, and one that leads inside', async () => {
    const place = site.at('mcp', '/m');
    const challenges = challenge(place);
    site.handle(place, (response) => response.end(`{"a":"${'x'.repeat(10_485_760)}"}`));
    expect(await site.fault({ challenges })).contain('is over 65536 bytes');
    site.handle(place, (response) => response.write('{'));
    expect(await site.fault({ challenges, network: { timeoutMs: 100 } })).contain(
      'did not answer within 100 ms',
    );
    for (const location of [site.at('inside', '/x'), 'http://127.0.0.1:1/', site.at('mcp', '/n')]) {
      site.handle(place, (response) => response.writeHead(302, { location }).end());
      expect(await site.fault({ challenges })).contain('redirects, which is not followed here');
    }
    site.resource({ padding: 'x'.repeat(60_000) }, place);
    expect(await site.facts({ challenges })).include({ issuer: site.at('login') });
  });

  it('ends with its signal, and says why', async () => {
    const end = new AbortController();
    site.handle(site.at('login', OAUTH), () => end.abort(new Error('no answer within 3 s')));
    expect(await site.fault({ signal: end.signal })).equal('no answer within 3 s');
    expect(await site.fault({ signal: AbortSignal.abort(new Error('stopped')) })).equal('stopped');
  });

  it('keeps nothing: what changes is seen at the next question', async () => {
    expect(await site.facts()).include({ issuer: site.at('login') });
    site.resource({ authorization_servers: [site.at('other')] });
    site.server({ issuer: site.at('other') }, site.at('other', OAUTH));
    expect(await site.facts()).include({ issuer: site.at('other') });
    site.handle(site.at('other', OAUTH), (response) => {
      // Moves while it is being read: what was named first must agree with what was read then.
      site.resource();
      response.end(JSON.stringify({ issuer: site.at('login') }));
    });
    expect(await site.fault()).contain(`is for the issuer ${site.at('login')}, not ${site.at('other')}`);
    expect(await site.facts()).include({ issuer: site.at('login') });
  });

  it('takes the origin of a server without resource metadata as issuer, with a slash or without', async () => {
    for (const issuer of [site.at('mcp'), site.at('mcp', '/')]) {
      site.reset();
      site.server({ issuer }, site.at('mcp', OAUTH));
      const facts = await site.facts({ challenges: ['Bearer scope="a"'] });
      expect(facts).include({ issuer, isOlder: true, registration: 'configured-only' });
      expect(facts).not.have.property('resource');
      expect(facts.scopes).deep.equal(['a']);
      expect(facts.detail).contain('no resource metadata');
    }
    for (const issuer of [site.at('login'), site.at('mcp', '/a')]) {
      site.server({ issuer }, site.at('mcp', OAUTH));
      expect(await site.fault()).contain('is for the issuer');
    }
  });

  it('assumes the addresses of 2025-03-26 if nothing is published, and says so', async () => {
    site.reset();
    const facts = await site.facts();
    expect(facts).include({ issuer: site.at('mcp'), isOlder: true, registration: 'dynamic' });
    expect(facts.endpoints).deep.equal({
      authorization: site.at('mcp', '/authorize'),
      token: site.at('mcp', '/token'),
      registration: site.at('mcp', '/register'),
    });
    expect(facts.detail).contain('may want headers instead');
  });

  it('does not take Basic for a sign-in, unless the server publishes how people sign in', async () => {
    const challenges = ['Basic realm="a"'];
    expect(await site.facts({ challenges })).include({ issuer: site.at('login') });
    site.reset();
    expect(await site.fault({ challenges })).equal(
      'the server wants credentials of the scheme basic, not a sign-in',
    );
  });

  it('does not send codes over http, except on this machine', async () => {
    site.reset();
    const network = { resolve: () => Promise.resolve(['93.184.216.34']), dial: () => '127.0.0.1' };
    const plain = await serveWithOutages((_, response) => response.writeHead(404).end());
    const { port } = new URL(plain.url);
    expect(await site.fault({ url: `http://mcp.example:${port}/mcp`, network })).equal(
      `the issuer http://mcp.example:${port} is neither https nor on this machine`,
    );
    const local = { resolve: () => Promise.resolve(['127.0.0.1']), dial: (address: string) => address };
    const facts = await site.facts({ url: `http://localhost:${port}/mcp`, network: local });
    expect(facts.issuer).equal(`http://localhost:${port}`);
  });
});
