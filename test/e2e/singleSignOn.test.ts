import { expect } from 'chai';
import { startGuardedSite } from '../support/guardedSite.ts';
import { hashOf } from '../support/guardedServer.ts';
import { personWith, restarted, signInAtServer, signedIn, startPeopleGateway } from '../support/people.ts';
import { movableClock } from '../support/clock.ts';
import type { JsonObject } from '../../kernel/index.ts';
import { tokensOf } from '../support/authServer.ts';
import { startStandardExchange } from '../support/standardExchange.ts';
import { startDownstreamProvider } from '../support/downstreamProvider.ts';
import { eventually } from '../contract/index.ts';
import { tlsProxy } from '../support/tlsProxy.ts';
import { startTrustingSite, trustedOf } from '../support/trustingSite.ts';
import type { Trusted, TrustingSite } from '../support/trustingSite.ts';
import type { AuthServer } from '../support/authServer.ts';

function forwarding(site: TrustingSite, rules: JsonObject = {}): string {
  return site.definition({ auth: { forwardToken: true, ...rules } });
}

/** A server that wants the tokens of a second provider, which is reached by https. @param endpointKey of `auth.tokenExchange` */
async function exchanging(endpointKey = 'idpTokenEndpoint') {
  const proxy = await tlsProxy(() => downstream.url);
  const downstream = await startDownstreamProvider({ connectors: {}, issuer: proxy.origin });
  const site = await startTrustingSite(() => ({ ...trustedOf(downstream), issuer: proxy.origin }));
  const { connectorId, clientId } = downstream.target();
  const tokenExchange = {
    enabled: true,
    [endpointKey]: `${proxy.origin}/token`,
    connectorId,
    clientId,
    clientSecret: '${file:secrets/downstream}',
  };
  const files = {
    'mcpservers/notes.yaml': site.definition({ auth: { tokenExchange } }),
    'secrets/downstream': downstream.secret,
  };
  return { proxy, downstream, site, files };
}

describe('e2e: single sign-on at servers', () => {
  let auth: AuthServer;
  const trusted = (): Trusted => trustedOf(auth.provider);

  describe('by forwarding', () => {
    let site: TrustingSite;
    async function start(): Promise<void> {
      site = await startTrustingSite(trusted);
      auth = await startPeopleGateway({ files: { 'mcpservers/notes.yaml': forwarding(site) } });
    }

    it('T99: sends the id_token of the identity provider byte for byte, without a click, and never our own token', async () => {
      await start();
      const [alice, bob] = [await signedIn(auth, 'alice'), await signedIn(auth, 'bob')];
      for (const [person, account] of [
        [alice, 'alice'],
        [bob, 'bob'],
      ] as const) {
        expect(await person.told('x_notes_whoami')).include(`"account":"${account}"`);
        expect(await person.told('x_notes_echo_authorization')).equal(
          JSON.stringify({ hash: hashOf(person.idToken) }),
        );
        expect(await person.statusOf('notes')).include({
          status: 'connected',
          token_forwarding_enabled: true,
        });
        expect(await person.asked()).deep.equal([]);
      }
      expect([...site.tokens()].sort()).deep.equal([alice.idToken, bob.idToken].sort());
      expect(site.crossings()).equal(0);
    });

    it('asks for requiredAudiences at our own sign-in, and sends no token that lacks one', async () => {
      site = await startTrustingSite(() => ({ ...trustedOf(auth.provider), audience: 'notes' }));
      const strict = await startTrustingSite(trusted);
      auth = await startPeopleGateway({
        provider: { audiences: ['notes'] },
        files: {
          'mcpservers/notes.yaml': forwarding(site, { requiredAudiences: ['notes'] }),
          'mcpservers/strict.yaml': forwarding(strict, { requiredAudiences: ['notes', 'unknown'] }),
        },
      });
      const alice = await signedIn(auth, 'alice');
      expect(await alice.told('x_notes_echo_authorization')).equal(
        JSON.stringify({ hash: hashOf(alice.idToken) }),
      );
      expect(await alice.told('x_strict_whoami')).include('lacks the audience unknown');
      expect(await alice.statusOf('strict')).include({ status: 'reauth_required', sso_attempt_failed: true });
      expect(strict.tokens()).deep.equal([]);
    });

    it('renews the id_token while the sign-in lasts, and sends none after it', async () => {
      const { later } = movableClock();
      await start();
      const alice = await signedIn(auth, 'alice');
      await alice.told('x_notes_whoami');
      later(3_590_000);
      const { access } = tokensOf(await auth.refresh(alice.tokens.refresh));
      const later1 = await personWith(auth, { ...alice.tokens, access }, '');
      expect(await later1.told('x_notes_whoami')).include('"account":"alice"');
      expect(site.tokens()).lengthOf(2);
      expect(site.refusals().withToken).equal(0);
    });

    it('U73: shows a refused token as reauth_required, asks for no login, and works after a new sign-in', async () => {
      await start();
      const alice = await signedIn(auth, 'alice');
      await alice.told('x_notes_whoami');
      site.refuseTokens();
      expect(await alice.told('x_notes_whoami')).include('refuses the token of your sign-in');
      expect(await alice.statusOf('notes')).include({ status: 'reauth_required', sso_attempt_failed: true });
      expect(await alice.asked()).deep.equal([]);
      const login = await alice.callTool('core_auth_login', { server: 'notes' });
      expect(login.isError).equal(true);
      expect(String(login.content[0]?.['text'])).match(
        /^Server 'notes' uses SSO and is connected automatically\.\n\nManual login via core_auth_login is not supported for SSO servers\./,
      );
      const logout = await alice.callTool('core_auth_logout', { server: 'notes' });
      expect(logout.isError).equal(true);
      expect(String(logout.content[0]?.['text'])).include(
        "Server 'notes' uses SSO and is managed automatically.",
      );
      site.refuseTokens(false);
      const again = await signedIn(auth, 'alice');
      expect(await again.told('x_notes_whoami')).include('"account":"alice"');
      expect(await again.statusOf('notes')).include({ status: 'connected' });
    });
  });

  describe('by exchange', () => {
    for (const spelling of ['idpTokenEndpoint', 'dexTokenEndpoint'])
      it(`sends the token that a second provider gives for the id_token (${spelling})`, async () => {
        const { proxy, downstream, site, files } = await exchanging(spelling);
        auth = await startPeopleGateway({
          settings: { aggregator: { extraCaFile: proxy.certificate } },
          files,
        });
        downstream.connect('a', { issuer: auth.provider.url, jwksUrl: `${auth.provider.url}/jwks` });
        const alice = await signedIn(auth, 'alice');
        expect(await alice.told('x_notes_whoami')).include('"account":"alice"');
        expect(await alice.statusOf('notes')).include({ status: 'connected', token_exchange_enabled: true });
        expect(downstream.exchanges.map((one) => one['subject_token'])).deep.equal([alice.idToken]);
        expect(site.tokens()).lengthOf(1);
        expect(site.tokens()).not.include(alice.idToken);
        expect(await alice.asked()).deep.equal([]);

        site.refuseTokens();
        expect(await alice.told('x_notes_whoami')).include('refuses the token of your sign-in');
        expect(await alice.statusOf('notes')).include({
          status: 'reauth_required',
          sso_attempt_failed: true,
        });
        expect(await alice.asked()).deep.equal([]);
        const login = await alice.callTool('core_auth_login', { server: 'notes' });
        expect([login.isError, String(login.content[0]?.['text'])].join()).include(
          "true,Server 'notes' uses SSO",
        );
        site.refuseTokens(false);
        const again = await signedIn(auth, 'alice');
        expect(await again.told('x_notes_whoami')).include('"account":"alice"');
      });
  });

  it('lists the tools of a server again once the provider is back: one request per pause, by later requests of the caller', async () => {
    const { later } = movableClock();
    const { proxy, downstream, site, files } = await exchanging();
    auth = await startPeopleGateway({ settings: { aggregator: { extraCaFile: proxy.certificate } }, files });
    downstream.connect('a', { issuer: auth.provider.url, jwksUrl: `${auth.provider.url}/jwks` });
    downstream.fail(503, '/token');
    const alice = await signedIn(auth, 'alice');
    const requests = (): number => downstream.requests('/token');
    const ask = async (): Promise<void> => {
      for (let request = 0; request < 5; request += 1) expect(await alice.toolsOf('notes')).deep.equal([]);
    };
    await ask();
    await eventually(() => requests() > 0, 'the first attempt');
    const failed = { status: 'reauth_required', sso_attempt_failed: true };
    expect(await alice.statusOf('notes')).include(failed);
    expect(requests(), 'none during the pause').equal(1);
    later(5_000);
    await ask();
    await eventually(() => requests() > 1, 'the second attempt');
    await ask();
    downstream.resume();
    later(5_000);
    await ask();
    expect(requests(), 'the pause has grown').equal(2);
    expect(await alice.statusOf('notes')).include(failed);
    later(5_000);
    await eventually(
      async () => (await alice.toolsOf('notes')).includes('x_notes_only_for_alice'),
      'the tools of the caller',
    );
    expect(await alice.statusOf('notes')).include({ status: 'connected' });
    expect(requests()).equal(3);
    expect(site.refusals().withToken).equal(0);
  });

  it('exchanges the access token of the sign-in for one for an audience, as Keycloak has it', async () => {
    const proxy = await tlsProxy(() => provider.url);
    const provider = await startStandardExchange(() => proxy.origin);
    const site = await startTrustingSite(trusted);
    const tokenExchange = {
      enabled: true,
      idpTokenEndpoint: `${proxy.origin}${new URL(provider.tokenEndpoint).pathname}`,
      audience: 'notes',
      clientId: 'pegboard',
      clientSecret: 'a secret',
    };
    auth = await startPeopleGateway({
      settings: { aggregator: { extraCaFile: proxy.certificate } },
      files: { 'mcpservers/notes.yaml': site.definition({ auth: { tokenExchange } }) },
    });
    const alice = await signedIn(auth, 'alice');
    await alice.told('x_notes_whoami');
    expect(provider.forms[0]).include({
      subject_token: auth.provider.issued.at(-1)?.['access_token'],
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'notes',
    });
    expect(provider.forms[0]).not.have.any.keys('scope', 'connector_id');
    // The site trusts another issuer: it was sent the token that was issued.
    expect(site.refusals().withToken).greaterThan(0);
    expect(auth.gateway.log.having('gave no token')).deep.equal([]);
  });

  it('exchanges at a private address only where that is allowed, and never without a trusted certificate', async () => {
    const { downstream, site, files } = await exchanging();
    for (const [allowPrivateIP, text] of [
      [false, 'DNS rebinding'],
      [true, 'SELF_SIGNED_CERT'],
    ] as const) {
      auth = await startPeopleGateway({
        settings: {
          aggregator: { oauth: { mcpClient: { enabled: true, tokenExchange: { allowPrivateIP } } } },
        },
        files,
      });
      const alice = await signedIn(auth, 'alice');
      expect(await alice.told('x_notes_whoami')).not.include('alice');
      const log = JSON.stringify(auth.gateway.log.records);
      expect(log, String(allowPrivateIP)).include(text);
      expect(downstream.exchanges).deep.equal([]);
      expect(site.tokens()).deep.equal([]);
      await auth.gateway.stop();
    }
  });

  describe('of a caller’s servers together', () => {
    it('connects all at sign-in, before the first request, and again at the first request after a restart', async () => {
      const sites = [
        await startTrustingSite(trusted),
        await startTrustingSite(trusted),
        await startTrustingSite(trusted),
      ];
      auth = await startPeopleGateway({
        files: Object.fromEntries(sites.map((site, at) => [`mcpservers/s${at}.yaml`, forwarding(site)])),
      });
      auth.provider.loginAs('alice');
      const answer = await auth.redeem(await auth.code());
      await eventually(() => sites.every((site) => site.requestsOf('alice') > 0), 'the connections');
      const alice = await personWith(auth, tokensOf(answer), String(answer.body['id_token']));
      expect(await alice.toolsOf('s2')).include('x_s2_only_for_alice');
      auth = await restarted(auth);
      const before = sites.map((site) => site.requestsOf('alice'));
      const back = await personWith(auth, alice.tokens, alice.idToken);
      for (const [at] of sites.entries())
        expect(await back.toolsOf(`s${at}`)).include(`x_s${at}_only_for_alice`);
      sites.forEach((site, at) => expect(site.requestsOf('alice')).greaterThan(before[at] ?? 0));
    });

    it('does not try a failing one again with each request, nor when another person signs in', async () => {
      const [works, fails] = [await startTrustingSite(trusted), await startTrustingSite(trusted)];
      const manual = await startGuardedSite();
      fails.refuseTokens();
      auth = await startPeopleGateway({
        files: {
          'mcpservers/works.yaml': forwarding(works),
          'mcpservers/fails.yaml': forwarding(fails),
          'mcpservers/manual.yaml': manual.definition({ auth: { type: 'oauth' } }),
        },
      });
      const alice = await signedIn(auth, 'alice');
      expect(await alice.toolsOf('works')).include('x_works_whoami');
      const { withToken } = fails.refusals();
      expect(withToken).within(1, 2);
      const bob = await signedIn(auth, 'bob');
      const bobs = fails.refusals().withToken;
      await signInAtServer(bob, 'manual', { auth, as: 'bob' });
      for (let request = 0; request < 20; request += 1) {
        await alice.told('x_works_whoami');
        await alice.told('x_fails_whoami');
        await alice.toolsOf('works');
      }
      expect(fails.refusals().withToken).within(bobs, bobs + 2);
      expect(await alice.told('x_fails_whoami')).include('refuses the token of your sign-in');
    });
  });
});
