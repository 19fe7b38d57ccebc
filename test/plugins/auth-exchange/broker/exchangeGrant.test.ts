import { expect } from 'chai';
import { PUBLIC_CLIENT, newState } from '../../../support/authServer.ts';
import type { TokenAnswer } from '../../../support/authServer.ts';
import {
  AS_PORTAL,
  PORTAL_SECRET,
  TOKEN_EXCHANGE,
  basic,
  startExchange,
  typeUri,
} from '../../../support/exchangeGateway.ts';
import type { ExchangeGateway } from '../../../support/exchangeGateway.ts';

const CANNOT = { error: 'invalid_target', error_description: 'the requested audience cannot be served' };
const UNAUTHENTICATED = { error: 'invalid_client', error_description: 'Client authentication required' };
const GARBAGE = 'not.a.token';

describe('auth-exchange: the grant', () => {
  let at: ExchangeGateway;
  before(async () => {
    at = await startExchange({
      broker: (downstream) => ({
        clientAudiences: { portal: ['cluster-b', 'not-in-targets', 'secretless'] },
        brokerClients: {
          portal: { clientSecretFile: 'portal-secret' },
          stranger: { clientSecretFile: 'portal-secret' },
        },
        targets: {
          'cluster-b': downstream.target(),
          'cluster-c': downstream.target(),
          secretless: downstream.target({
            clientSecretFile: undefined,
            clientCredentialsSecretRef: { name: 'b' },
          }),
        },
      }),
    });
  });

  /** Neither the issuer nor the downstream provider was asked meanwhile. */
  const unasked = async (work: () => Promise<TokenAnswer>): Promise<TokenAnswer> => {
    const count = (): readonly number[] => [at.issuer.reads(), at.downstream.requests('/token')];
    const before = count();
    const answer = await work();
    expect(count()).deep.equal(before);
    return answer;
  };
  const refused = ({ status, body }: TokenAnswer, expected: number, error: string, reason: string): void => {
    expect([status, body['error'], at.gateway.lastReason]).deep.equal([expected, error, reason]);
  };

  describe('its target', () => {
    for (const [what, audience] of [
      ['is not one that the client may name', 'cluster-c'],
      ['is in the list of the client, but not in targets', 'not-in-targets'],
      ['is unknown', 'unknown'],
      ['has no credentials', 'secretless'],
      ['is called constructor', 'constructor'],
      ['is called __proto__', '__proto__'],
      ['is called toString', 'toString'],
      ['has another case', 'Cluster-B'],
      ['is long', 'x'.repeat(5_000)],
    ])
      it(`T75: ${what}: one answer, and no other server is asked`, async () => {
        const answer = await unasked(() => at.exchange({ audience }));
        expect(answer.body).deep.equal(CANNOT);
        refused(answer, 400, 'invalid_target', 'target-not-allowed');
        expect(
          (await unasked(() => at.exchange({ audience: undefined, resource: audience }))).body,
        ).deep.equal(CANNOT);
        expect((await at.exchange()).status).equal(200);
      });

    it('T75: is not served to a client that clientAudiences does not name', async () => {
      const headers = { authorization: basic('stranger', PORTAL_SECRET) };
      const answer = await unasked(() => at.exchange({}, headers));
      expect([answer.status, answer.body]).deep.equal([400, CANNOT]);
    });

    it('may be named by resource, or by both alike', async () => {
      for (const changes of [{ audience: undefined, resource: 'cluster-b' }, { resource: 'cluster-b' }])
        expect((await at.exchange(changes)).status).equal(200);
    });

    it('is one: another resource, several resources or several audiences are refused', async () => {
      refused(await at.exchange({ resource: 'cluster-c' }), 400, 'invalid_request', 'several-targets');
      const form = new URLSearchParams({
        grant_type: TOKEN_EXCHANGE,
        subject_token: await at.issuer.sign(),
        subject_token_type: typeUri('access_token'),
      }).toString();
      const two = await at.gateway.post(`${form}&resource=cluster-b&resource=cluster-c`, AS_PORTAL);
      refused(two, 400, 'invalid_request', 'several-targets');
      const audiences = await at.gateway.post(`${form}&audience=cluster-b&audience=cluster-c`, AS_PORTAL);
      refused(audiences, 400, 'invalid_request', 'parameter-repeated');
      const same = await at.gateway.post(`${form}&resource=cluster-b&resource=cluster-b`, AS_PORTAL);
      expect(same.status).equal(200);
    });

    it('is needed, because this server exchanges nothing for a token of its own', async () => {
      for (const audience of [undefined, '']) {
        const answer = await unasked(() => at.exchange({ audience }));
        refused(answer, 400, 'invalid_grant', 'exchange-without-audience');
      }
      // Nor when it is named itself.
      expect((await at.exchange({ audience: at.gateway.base })).body).deep.equal(CANNOT);
    });
  });

  describe('its client', () => {
    it('T76: has a secret', async () => {
      const answer = await unasked(() => at.exchange({ client_id: PUBLIC_CLIENT.id }, {}));
      refused(answer, 400, 'unauthorized_client', 'client-has-no-secret');
    });

    it('T76: without authentication, unknown, or with a wrong secret: 401 with one text', async () => {
      const wrong = [
        [{}, {}],
        [{ client_secret: PORTAL_SECRET }, {}],
        [{ client_id: 'portal' }, {}],
        [{ client_id: 'unknown' }, {}],
        [{}, { authorization: basic('unknown', PORTAL_SECRET) }],
        [{}, { authorization: basic('portal', `${PORTAL_SECRET}x`) }],
        [{}, { authorization: basic('portal', '') }],
        [{}, { authorization: basic('constructor', PORTAL_SECRET) }],
        [{}, { authorization: basic('__proto__', PORTAL_SECRET) }],
        [{}, { authorization: 'Basic garbage' }],
        [{ client_id: 'portal', client_secret: `${PORTAL_SECRET}\n` }, {}],
      ] as const;
      for (const [changes, headers] of wrong) {
        const { status, body, headers: answered } = await unasked(() => at.exchange(changes, headers));
        expect([status, body], JSON.stringify([changes, headers])).deep.equal([401, UNAUTHENTICATED]);
        expect(answered.get('www-authenticate')).match(/^Basic /);
      }
    });

    it('T76: may send its secret in the form, but not in two places', async () => {
      expect((await at.exchange({ client_id: 'portal', client_secret: PORTAL_SECRET }, {})).status).equal(
        200,
      );
      const twice = await at.exchange({ client_id: 'portal', client_secret: PORTAL_SECRET });
      refused(twice, 400, 'invalid_request', 'two-client-secrets');
    });

    it('may use no other grant if it is in brokerClients', async () => {
      for (const grant_type of ['authorization_code', 'refresh_token']) {
        const answer = await at.gateway.post({ grant_type, code: 'c', refresh_token: 'r' }, AS_PORTAL);
        refused(answer, 400, 'unauthorized_client', 'grant-type-of-client');
      }
    });

    it('cannot have a person sign in if it is in brokerClients', async () => {
      for (const redirect_uri of [
        'http://localhost:7777/callback',
        'https://portal.example.com/',
        undefined,
      ]) {
        const url = at.gateway.authorizeUrl({ client_id: 'portal', redirect_uri, state: newState() });
        const answer = await fetch(url, { redirect: 'manual' });
        expect([answer.status, ((await answer.json()) as { error: string }).error]).deep.equal([
          400,
          'invalid_request',
        ]);
      }
    });
  });

  describe('its parameters', () => {
    it('T77: a header DPoP is refused, whatever it says', async () => {
      for (const dpop of ['garbage', '', `${GARBAGE}, ${GARBAGE}`]) {
        const answer = await unasked(() => at.exchange({}, { ...AS_PORTAL, dpop }));
        refused(answer, 400, 'invalid_request', 'dpop-in-exchange');
        expect(answer.body['error_description']).equal('DPoP is not supported for brokered exchange');
      }
    });

    it('a subject token and its type are needed, and named when they are missing', async () => {
      for (const name of ['subject_token', 'subject_token_type'])
        for (const value of [undefined, '']) {
          const { status, body } = await unasked(() => at.exchange({ [name]: value }));
          expect([status, body]).deep.equal([
            400,
            { error: 'invalid_request', error_description: `${name} is required` },
          ]);
        }
    });

    it('the subject token may be an id token, an access token or a JWT, and nothing else', async () => {
      for (const [name, typ] of [
        ['id_token', 'JWT'],
        ['jwt', 'JWT'],
        ['access_token', 'at+jwt'],
      ] as const) {
        const subject_token = await at.issuer.sign({ sub: `person with ${name}` }, { typ });
        expect((await at.exchange({ subject_token, subject_token_type: typeUri(name) })).status).equal(200);
        expect(at.downstream.exchanges.at(-1)).include({
          subject_token,
          subject_token_type: typeUri(name),
          requested_token_type: typeUri('id_token'),
        });
      }
      for (const type of [
        typeUri('saml2'),
        typeUri('refresh_token'),
        'access_token',
        typeUri('constructor'),
      ]) {
        const answer = await unasked(() => at.exchange({ subject_token_type: type }));
        refused(answer, 400, 'invalid_request', 'subject-token-type');
        expect(answer.body['error_description']).include(typeUri('id_token'));
      }
    });

    it('what is asked for may be an id token or a JWT, and nothing else', async () => {
      for (const name of ['id_token', 'jwt'])
        expect((await at.exchange({ requested_token_type: typeUri(name) })).status).equal(200);
      for (const name of ['access_token', 'refresh_token', 'saml2']) {
        const answer = await unasked(() => at.exchange({ requested_token_type: typeUri(name) }));
        refused(answer, 400, 'invalid_request', 'requested-token-type');
      }
    });

    it('an actor token is refused, alone and with its type', async () => {
      const type = { actor_token_type: typeUri('access_token') };
      for (const changes of [{ actor_token: GARBAGE }, type, { actor_token: GARBAGE, ...type }]) {
        const answer = await unasked(() => at.exchange(changes));
        refused(answer, 400, 'invalid_request', 'actor-token');
      }
    });
  });

  describe('its checks', () => {
    const foreign = 'unknown';

    it('authenticate the client before all others', async () => {
      const headers = { authorization: basic('portal', 'wrong'), dpop: GARBAGE };
      const answer = await unasked(() =>
        at.exchange({ subject_token: undefined, audience: foreign }, headers),
      );
      refused(answer, 401, 'invalid_client', 'wrong-client-secret');
    });

    it('refuse a public client, then DPoP, then what is missing, then the target, then the type', async () => {
      const none = { subject_token: undefined, subject_token_type: undefined };
      const steps = [
        [{ ...none, client_id: PUBLIC_CLIENT.id, audience: foreign }, { dpop: 'x' }, 'client-has-no-secret'],
        [{ ...none, audience: foreign }, { ...AS_PORTAL, dpop: 'x' }, 'dpop-in-exchange'],
        [{ ...none, audience: foreign }, AS_PORTAL, 'parameter-missing'],
        [
          { subject_token: GARBAGE, subject_token_type: 'x', audience: foreign },
          AS_PORTAL,
          'target-not-allowed',
        ],
        [{ subject_token: GARBAGE, subject_token_type: 'x' }, AS_PORTAL, 'subject-token-type'],
        [{ subject_token: GARBAGE }, AS_PORTAL, 'subject-issuer'],
      ] as const;
      for (const [changes, headers, reason] of steps) {
        await unasked(() => at.exchange(changes, headers));
        expect(at.gateway.lastReason).equal(reason);
      }
    });
  });
});
