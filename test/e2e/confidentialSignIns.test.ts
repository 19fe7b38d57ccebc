import { expect } from 'chai';
import { CLIENT_SECRET } from '../support/clientAtProvider.ts';
import { movableClock } from '../support/clock.ts';
import { expectNoSecret, filesBelow, linesOf, recordRequests } from '../support/confidential.ts';
import { newBrowser } from '../support/browser.ts';
import { startDownstreamProvider } from '../support/downstreamProvider.ts';
import { AS_PORTAL, PORTAL_SECRET, TOKEN_EXCHANGE, typeUri } from '../support/exchangeGateway.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import { restarted, signInAtServer, signedIn, startPeopleGateway } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import type { ServerIssuer } from '../support/serverIssuer.ts';
import { tlsProxy } from '../support/tlsProxy.ts';
import { startTrustingSite, trustedOf } from '../support/trustingSite.ts';
import type { AuthServer } from '../support/authServer.ts';

const OWN_SECRET = 'key-of-ann-4711-4712';
/** A server with keys instead of tokens. */
const keyHolder = {
  issuer: 'http://127.0.0.1:1',
  protect: () => undefined,
  check: (key: string) =>
    Promise.resolve(key === OWN_SECRET ? { account: 'key', scopes: [], clientId: '', grant: '' } : undefined),
} as Pick<ServerIssuer, 'issuer' | 'protect' | 'check'> as ServerIssuer;
/** Answers of token endpoints. */
const TOKENS = ['access_token', 'refresh_token', 'id_token'];

function tokensIn(bodies: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return bodies.flatMap((body) =>
    TOKENS.flatMap((name) => (typeof body[name] === 'string' ? [body[name]] : [])),
  );
}

describe('e2e: what stays confidential of sign-ins at servers', function () {
  this.timeout(60_000);

  it('T108: log, events, audit, cassettes, pages and errors contain no token, code, secret, verifier or state', async () => {
    const { later } = movableClock();
    const seen = recordRequests();
    let auth: AuthServer;
    const proxy = await tlsProxy(() => downstream.url);
    const downstream = await startDownstreamProvider({ connectors: {}, issuer: proxy.origin });
    const vault = await startGuardedSite({ issuer: { lifetime: 120 } });
    const tickets = await startGuardedSite();
    const forwarded = await startTrustingSite(() => trustedOf(auth.provider));
    const exchanged = await startTrustingSite(() => ({ ...trustedOf(downstream), issuer: proxy.origin }));
    const keyed = await startGuardedSite({ issuer: keyHolder });
    const { connectorId, clientId } = downstream.target();
    auth = await startPeopleGateway({
      settings: {
        aggregator: { extraCaFile: proxy.certificate },
        plugins: { audit: { config: { directory: 'audit' } }, cassettes: true },
      },
      files: {
        'mcpservers/vault.yaml': vault.definition({ auth: { type: 'oauth' } }),
        'mcpservers/tickets.yaml': tickets.definition({
          auth: {
            type: 'oauth',
            authorizationServer: { issuer: tickets.issuer.issuer, grantScope: 'subject' },
          },
        }),
        'mcpservers/forwarded.yaml': forwarded.definition({ auth: { forwardToken: true } }),
        'mcpservers/exchanged.yaml': exchanged.definition({
          auth: {
            tokenExchange: {
              enabled: true,
              idpTokenEndpoint: `${proxy.origin}/token`,
              connectorId,
              clientId,
              clientSecret: '${file:secrets/downstream}',
            },
          },
        }),
        'mcpservers/keyed.yaml': keyed.definition({ headers: { authorization: 'Bearer ${caller:key}' } }),
        'secrets/downstream': downstream.secret,
        'secrets/portal': PORTAL_SECRET,
      },
    });
    const { url } = auth.provider;
    downstream.connect('a', { issuer: url, jwksUrl: `${url}/jwks` });
    await auth.configureServer({
      trustedIssuers: [{ issuer: url, jwksUrl: `${url}/jwks`, allowPrivateIPJWKS: true }],
      tokenExchangeBroker: {
        clientAudiences: { portal: ['tickets'] },
        brokerClients: { portal: { clientSecretFile: 'secrets/portal' } },
        targets: { tickets: { grantIssuer: tickets.issuer.issuer } },
      },
    });
    const sites = { vault, tickets, forwarded, exchanged, keyed };
    const errors: string[] = [];
    const useAll = async (person: Person): Promise<void> => {
      for (const name of Object.keys(sites)) {
        for (const tool of ['whoami', 'echo_authorization', 'show_authorization'])
          await person.told(`x_${name}_${tool}`);
        for (const tool of ['fail_showing', 'needs_scope'])
          errors.push(JSON.stringify(await person.callTool(`x_${name}_${tool}`)));
      }
      await person.statusOf('vault');
      for (const tool of ['describe_tool', 'explain_tool'])
        await person.callMeta(tool, { name: 'x_vault_show_authorization' });
    };

    // Two people use everything that works.
    const people = [await signedIn(auth, 'ann'), await signedIn(auth, 'bob')] as const;
    for (const [at, name] of (['ann', 'bob'] as const).entries()) {
      const person = people[at]!;
      for (const server of ['vault', 'tickets'] as const) {
        const browser = newBrowser();
        sites[server].issuer.signInAs(browser, name);
        const page = await signInAtServer(person, server, { auth, as: name, browser });
        expect(page.status, page.text).equal(200);
      }
      const browser = newBrowser();
      const form = await signInAtServer(person, 'keyed', { auth, as: name, browser });
      const done = await browser.submit(form, { 'secret key': OWN_SECRET });
      expect(done.status, form.text + done.text).equal(200);
      await useAll(person);
    }
    expect(await people[0].told('x_vault_show_authorization')).match(/"token":"ey/);
    const form = { grant_type: TOKEN_EXCHANGE, audience: 'tickets', subject_token_type: typeUri('id_token') };
    const released = await auth.post({ ...form, subject_token: people[0].idToken }, AS_PORTAL);
    expect(released.status).equal(200);

    // Refreshes, and everything that can be refused.
    later(200_000);
    await useAll(people[0]);
    const eventsFor = async (person: Person): Promise<string> =>
      JSON.stringify(await person.callTool('core_events', { limit: 1_000 }));
    const before = { log: linesOf(auth.gateway.log), events: await eventsFor(people[0]) };
    auth = await restarted(auth);
    const ann = await signedIn(auth, 'ann');
    const link = await ann.callTool('core_auth_login', { server: 'vault' });
    const { authUrl } = link.structuredContent as { readonly authUrl: string };
    auth.provider.loginAs('bob');
    await newBrowser().open(authUrl);
    const browser = newBrowser();
    vault.issuer.signInAs(browser, 'ann');
    auth.provider.loginAs('ann');
    const isCallback = (at: string): boolean => at.includes('/oauth/proxy/callback');
    const callback = (await browser.open(authUrl, isCallback)).url;
    await newBrowser().open(callback);
    await browser.open(`${callback}x`);
    await browser.open(callback);
    await browser.open(callback);
    await useAll(ann);
    for (const site of Object.values(sites)) site.refuseTokens();
    await useAll(ann);
    await vault.issuer.revoke('ann');
    vault.issuer.tokenEndpointFails(503);
    later(200_000);
    await useAll(ann);
    await ann.callTool('core_auth_logout', { server: 'tickets' });
    await auth.post({ token: ann.tokens.refresh, client_id: 'test-client' }, {}, '/oauth/revoke');

    const requests = [vault, tickets].flatMap(({ issuer }) => issuer.tokenRequests);
    const params = requests.flatMap((one) =>
      ['code', 'code_verifier', 'refresh_token', 'client_secret'].flatMap((name) => {
        const value = one.params[name];
        return typeof value === 'string' ? [value] : [];
      }),
    );
    const issued = tokensIn([...auth.provider.issued, ...vault.issuer.issued, ...tickets.issuer.issued]);
    const tokens = [...issued, ...forwarded.tokens(), ...exchanged.tokens(), OWN_SECRET];
    const known = [...tokens, ...params, CLIENT_SECRET, PORTAL_SECRET, downstream.secret, ...seen.secrets];
    expect(new Set(tokens).size).greaterThan(15);
    expect(params.length).greaterThan(8);

    const reader = await signedIn(auth, 'cyd');
    const files = filesBelow(auth.gateway.directory.path).filter(
      ({ path }) => !path.endsWith('config.yaml') && !path.includes('/secrets/'),
    );
    const places: Record<string, readonly string[]> = {
      log: [...before.log, ...linesOf(auth.gateway.log)],
      errors,
      events: [before.events, await eventsFor(reader)],
      servers: [JSON.stringify(await reader.callTool('core_mcpserver_list'))],
      ...Object.fromEntries(files.map(({ path, text }) => [path, [text]])),
    };
    for (const part of ['/audit/audit-', '/cassettes/vault.jsonl', '/cassettes/forwarded.jsonl'])
      expect(
        Object.keys(places).some((path) => path.includes(part)),
        part,
      ).equal(true);
    expect(places[`${auth.gateway.directory.path}/state/cassettes/vault.jsonl`]?.[0]).include(
      '"name":"whoami"',
    );
    expect(errors.join()).include('refused [redacted]');
    expectNoSecret(places, known);
    // A page has the state of its own sign-in.
    const own = (texts: readonly string[]): readonly string[] =>
      texts.filter((text) => text.startsWith(auth.base));
    expect(own(seen.pages).length).greaterThan(5);
    expectNoSecret({ pages: own(seen.pages), refusals: own(seen.refusals) }, [...tokens, ...params]);
  });
});
