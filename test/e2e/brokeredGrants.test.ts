import { expect } from 'chai';
import type { AuthServer, TokenAnswer } from '../support/authServer.ts';
import { newBrowser } from '../support/browser.ts';
import { movableClock } from '../support/clock.ts';
import { AS_PORTAL, PORTAL_SECRET, TOKEN_EXCHANGE, typeUri } from '../support/exchangeGateway.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import type { GuardedSite } from '../support/guardedSite.ts';
import { signInAtServer, signedIn, startPeopleGateway } from '../support/people.ts';
import { startTokenIssuer } from '../support/tokenIssuer.ts';
import type { TokenIssuer } from '../support/tokenIssuer.ts';

const NO_GRANT = {
  error: 'invalid_target',
  error_description: 'the person has no grant for the requested audience',
};

describe('e2e: grants that people gave by a link, given out by the broker', () => {
  let auth: AuthServer;
  let site: GuardedSite;
  let other: TokenIssuer;

  async function start(lifetime?: number): Promise<void> {
    site = await startGuardedSite({ issuer: lifetime === undefined ? {} : { lifetime } });
    other = await startTokenIssuer();
    const { issuer } = site.issuer;
    auth = await startPeopleGateway({
      files: {
        'mcpservers/tickets.yaml': site.definition({
          auth: { type: 'oauth', authorizationServer: { issuer, grantScope: 'subject' } },
        }),
        'portal-secret': PORTAL_SECRET,
      },
    });
    const { url } = auth.provider;
    const login = { issuer: url, jwksUrl: `${url}/jwks`, allowPrivateIPJWKS: true };
    await auth.configureServer({
      trustedIssuers: [login, other.trusted({ acceptedTypHeaders: ['jwt'] })],
      tokenExchangeBroker: {
        clientAudiences: { portal: ['tickets'] },
        brokerClients: { portal: { clientSecretFile: 'portal-secret' } },
        targets: { tickets: { grantIssuer: issuer } },
      },
    });
  }
  const exchange = (subjectToken: string): Promise<TokenAnswer> =>
    auth.post(
      {
        grant_type: TOKEN_EXCHANGE,
        audience: 'tickets',
        subject_token: subjectToken,
        subject_token_type: typeUri('id_token'),
      },
      AS_PORTAL,
    );
  async function grantOfAlice(): Promise<string> {
    const alice = await signedIn(auth, 'alice');
    const browser = newBrowser();
    site.issuer.signInAs(browser, 'alice');
    await signInAtServer(alice, 'tickets', { auth, as: 'alice', browser });
    expect(await alice.told('x_tickets_whoami')).include('"account":"alice"');
    return alice.idToken;
  }
  const checked = (token: unknown) => site.issuer.check(String(token), [site.url]);

  it('T84, T85: are those of the person who is named, at the login issuer', async () => {
    await start();
    const bob = await signedIn(auth, 'bob');
    const idToken = await grantOfAlice();
    const { status, body } = await exchange(idToken);
    expect(status, JSON.stringify(body)).equal(200);
    expect(await checked(body['access_token'])).include({ account: 'alice' });
    expect((await exchange(bob.idToken)).body).deep.equal(NO_GRANT);
    const foreign = await exchange(await other.sign({ sub: 'alice' }, { typ: 'JWT' }));
    expect([foreign.status, foreign.body]).deep.equal([400, NO_GRANT]);
    await site.issuer.revoke('alice');
    const again = await signedIn(auth, 'alice');
    await again.callTool('core_auth_logout', { server: 'tickets' });
    expect((await exchange(again.idToken)).body).deep.equal(NO_GRANT);
  });

  it('T84: are refused once the authorization server has ended them', async () => {
    const { later } = movableClock();
    await start(120);
    const idToken = await grantOfAlice();
    await site.issuer.revoke('alice');
    later(200_000);
    const { status, body } = await exchange(idToken);
    expect([status, body]).deep.equal([400, NO_GRANT]);
  });

  it('T86: never contain a refresh token or an id_token', async () => {
    await start();
    const { body } = await exchange(await grantOfAlice());
    expect(Object.keys(body).sort()).deep.equal([
      ...['access_token', 'expires_in', 'issued_token_type', 'scope', 'token_type'],
    ]);
    expect(body).include({ token_type: 'Bearer', issued_token_type: typeUri('access_token') });
    expect(body['expires_in']).within(3_500, 3_600);
  });

  it('T87: 50 requests near the end of a grant cause one refresh, and all get a token that lasts', async () => {
    const { later } = movableClock();
    await start(120);
    const idToken = await grantOfAlice();
    later(115_000);
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(idToken)));
    expect([...site.issuer.refreshes().values()]).deep.equal([1]);
    for (const { status, body } of answers) {
      expect(status, JSON.stringify(body)).equal(200);
      expect(body['expires_in']).within(60, 120);
      expect(await checked(body['access_token'])).include({ account: 'alice' });
    }
  });
});
