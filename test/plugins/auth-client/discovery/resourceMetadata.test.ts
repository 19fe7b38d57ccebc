import { expect } from 'chai';
import { SignInSite } from '../signInSite.ts';

const PATH = '/.well-known/oauth-protected-resource';

describe('auth-client: resource metadata', () => {
  let site: SignInSite;
  before(async () => (site = await SignInSite.open()));
  beforeEach(() => {
    site.reset();
    site.server();
  });
  const challenge = (url: string): string[] => [`Bearer resource_metadata="${url}"`];

  it('is read where the challenge says, on the origin of the server or on another one', async () => {
    for (const place of [site.at('mcp', '/custom/metadata.json'), site.at('other', '/m?server=mcp')]) {
      site.reset();
      site.server();
      site.resource({}, place);
      const facts = await site.facts({ challenges: challenge(place) });
      expect(facts).include({ issuer: site.at('login'), resource: site.at('mcp', '/mcp'), isOlder: false });
      expect(site.requests).length(2);
    }
  });

  it('is read below the origin of the server without a challenge: for its path, then for the origin', async () => {
    site.resource();
    expect(await site.facts({ challenges: [] })).include({ issuer: site.at('login') });
    expect(site.requests).deep.equal([`mcp${PATH}/mcp`, 'login/.well-known/oauth-authorization-server']);
    site.reset();
    site.server();
    site.resource({ resource: site.at('mcp') }, site.at('mcp', PATH));
    expect(await site.facts({ challenges: ['garbage "'] })).include({ resource: site.at('mcp') });
    expect(site.requests.slice(0, 2)).deep.equal([`mcp${PATH}/mcp`, `mcp${PATH}`]);
    site.requests.length = 0;
    await site.facts({ url: site.at('mcp') });
    expect(site.requests.filter((place) => place.includes('resource'))).deep.equal([`mcp${PATH}`]);
  });

  it('is read below the origin of the server if it is not where the challenge says', async () => {
    site.resource();
    const facts = await site.facts({ challenges: challenge(site.at('mcp', '/gone')) });
    expect(facts.resource).equal(site.at('mcp', '/mcp'));
    expect(site.requests.slice(0, 2)).deep.equal(['mcp/gone', `mcp${PATH}/mcp`]);
  });

  it('is not looked for elsewhere if what the challenge names cannot be used', async () => {
    site.resource();
    const place = site.at('mcp', '/broken');
    const challenges = challenge(place);
    site.handle(place, (response) => response.writeHead(500).end());
    expect(await site.fault({ challenges })).equal(`${place} answers HTTP 500`);
    site.handle(place, (response) => response.end('<html>'));
    expect(await site.fault({ challenges })).equal(`${place} is not a JSON object`);
    site.publish(place, ['a']);
    expect(await site.fault({ challenges })).equal(`${place} is not a JSON object`);
    expect(await site.fault({ challenges: challenge('://') })).equal(
      'the resource_metadata of the challenge is not a URL',
    );
    expect(await site.fault({ challenges: challenge('ftp://mcp.example/x') })).contain('ftp: is not allowed');
    expect(await site.fault({ challenges: challenge('http://other.example/x') })).contain('loopback');
    expect(site.requests).not.include(`mcp${PATH}/mcp`);
    site.resource({}, place);
    expect(await site.facts({ challenges })).include({ issuer: site.at('login') });
  });

  it('counts pages and redirects at guessed places as absent', async () => {
    site.handle(site.at('mcp', `${PATH}/mcp`), (response) => response.end('<!doctype html>'));
    site.resource({ resource: site.at('mcp') }, site.at('mcp', PATH));
    expect(await site.facts()).include({ resource: site.at('mcp') });
    site.handle(site.at('mcp', `${PATH}/mcp`), (response) =>
      response.writeHead(302, { location: site.at('mcp', '/sign-in') }).end(),
    );
    expect(await site.facts()).include({ resource: site.at('mcp') });
    expect(site.requests).not.include('mcp/sign-in');
  });

  it('T95: is refused for a resource of another origin, or beside the server, and accepted for it or above it', async () => {
    const own = site.at('mcp');
    const refused = [
      ...[site.at('other', '/mcp'), 'https://mcp.example/mcp', `http://mcp.example:${site.site.port}/mcp`],
      ...[`${own}/mc`, `${own}/mcp2`, `${own}/mcp/deeper`, `${own}/mcp/../other`, `${own}/MCP`],
      ...[`${own.replace('//', '//user@')}/mcp`, `${own}/mcp#part`, `${own}/mcp?tenant=b`, 'mcp', ''],
    ];
    for (const resource of refused) {
      site.resource({ resource });
      expect(await site.fault(), resource).equal(
        `${own}${PATH}/mcp is for the resource ${resource}, which is not the server at ${own}/mcp`,
      );
    }
    for (const resource of [undefined, null, 7, [`${own}/mcp`]]) {
      site.resource({ resource });
      expect(await site.fault()).equal(`${own}${PATH}/mcp has no resource`);
    }
    expect(site.requests.some((place) => place.startsWith('login'))).equal(false);
    for (const resource of [`${own}/mcp`, `${own}/mcp/`, own, `${own}/`]) {
      site.resource({ resource });
      expect((await site.facts()).resource).equal(resource);
    }
    const [url, resource] = [`${own}/a/b/mcp?tenant=b`, `${own}/a/b/mcp?tenant=b`];
    site.resource({ resource }, `${own}${PATH}/a/b/mcp`);
    expect((await site.facts({ url })).resource).equal(resource);
    site.resource({ resource: `${own}/a` }, `${own}${PATH}/a/b/mcp`);
    expect((await site.facts({ url })).resource).equal(`${own}/a`);
  });

  it('names an authorization server, the first of several', async () => {
    for (const authorization_servers of [undefined, [], [7], 'https://login.example']) {
      site.resource({ authorization_servers });
      expect(await site.fault()).contain('names no authorization server');
    }
    site.resource({ authorization_servers: [site.at('login'), site.at('other')] });
    expect(await site.facts()).include({
      issuer: site.at('login'),
      detail: 'the first of 2 authorization servers',
    });
  });

  it('names scopes, after those of the challenge; what is not a scope is left out', async () => {
    site.resource({ scopes_supported: ['a', 'b', 'a', 'c d', '"', 7, 'ü'] });
    expect((await site.facts()).scopes).deep.equal(['a', 'b']);
    expect((await site.facts({ challenges: ['Bearer scope="x  y"'] })).scopes).deep.equal(['x', 'y']);
    site.resource({ scopes_supported: Array.from({ length: 1_000 }, (_, at) => `s${at}`) });
    expect((await site.facts()).scopes).length(100);
    for (const scopes_supported of [undefined, [], 'a b'.length]) {
      site.resource({ scopes_supported });
      expect(await site.facts()).not.have.property('scopes');
    }
  });
});
