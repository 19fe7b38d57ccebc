import { UnsecuredJWT, decodeJwt } from 'jose';
import { expect } from 'chai';
import { REDIRECT } from '../../../support/authServer.ts';
import type { TokenAnswer } from '../../../support/authServer.ts';
import { AS_PORTAL, PORTAL_SECRET, basic, startExchange, typeUri } from '../../../support/exchangeGateway.ts';
import type { ExchangeGateway } from '../../../support/exchangeGateway.ts';

const REGISTRATION_TOKEN = 'registration token of the operator';

describe('auth-exchange: what an exchange asks for and answers', () => {
  let at: ExchangeGateway;
  let people = 0;
  /** Exchanges a token of someone whose token was not exchanged before. */
  const exchangeAnew = async (changes: Readonly<Record<string, string>> = {}): Promise<TokenAnswer> => {
    people += 1;
    return at.exchange({ subject_token: await at.issuer.sign({ sub: `person ${people}` }), ...changes });
  };

  describe('with a provider that answers as it likes', () => {
    before(async () => {
      at = await startExchange();
    });
    afterEach(() => at.downstream.answerWith({}));

    it('T79: the scope of the client is ignored, and the answer says what was granted', async () => {
      for (const scope of ['openid offline_access admin', 'nothing of that']) {
        const { status, body } = await exchangeAnew({ scope });
        expect([status, body['scope']]).deep.equal([200, 'openid profile email groups']);
        expect(at.downstream.exchanges.at(-1)).include({ scope: 'openid profile email groups' });
      }
    });

    it('T80: gives neither a refresh token nor an id token of the provider, nor anything else', async () => {
      at.downstream.answerWith({
        refresh_token: 'refresh-of-downstream',
        id_token: 'id-of-downstream',
        connector_data: 'internal',
      });
      const { status, body } = await exchangeAnew();
      expect(status).equal(200);
      const members = ['access_token', 'issued_token_type', 'token_type', 'expires_in', 'scope'];
      expect(Object.keys(body)).have.members(members);
    });

    it('says what the provider says about the type of the token', async () => {
      at.downstream.answerWith({ issued_token_type: typeUri('access_token') });
      expect((await exchangeAnew()).body['issued_token_type']).equal(typeUri('access_token'));
      at.downstream.answerWith({ issued_token_type: undefined });
      expect((await exchangeAnew()).body['issued_token_type']).equal(typeUri('id_token'));
    });

    it('may be opaque, as access tokens of many providers are, unless the target has an expectedIssuer', async () => {
      const members = {
        access_token: 'opaque-4711',
        issued_token_type: typeUri('access_token'),
        token_type: 'Bearer',
        expires_in: 600,
      };
      at.downstream.answerWith(members);
      const { status, body } = await exchangeAnew();
      expect(status).equal(200);
      expect(body).deep.include({
        access_token: 'opaque-4711',
        issued_token_type: typeUri('access_token'),
        token_type: 'Bearer',
      });
      expect(body['expires_in']).within(590, 600);
      const strict = await startExchange({ target: { expectedIssuer: 'https://login.example.com' } });
      strict.downstream.answerWith(members);
      expect((await strict.exchange()).body['error']).equal('server_error');
    });

    for (const [what, members, [least, most]] of [
      ['what the provider says, if that is less', { expires_in: 600 }, [590, 600]],
      ['what the token says, if that is less', { expires_in: 86_400 }, [3_590, 3_600]],
      ['what the token says, if the provider says nothing', { expires_in: undefined }, [3_590, 3_600]],
    ] as const)
      it(`lasts ${what}`, async () => {
        at.downstream.answerWith(members);
        const { status, body } = await exchangeAnew();
        expect(status).equal(200);
        expect(body['expires_in']).within(least, most);
      });

    it('lasts a minute if neither says anything', async () => {
      const endless = new UnsecuredJWT({ iss: at.downstream.url, sub: 'x' }).encode();
      at.downstream.answerWith({ access_token: endless, expires_in: undefined });
      const { body } = await exchangeAnew();
      expect(body['access_token']).equal(endless);
      expect(body['expires_in']).within(50, 60);
    });
  });

  it('T79: asks for the scopes of the target, such as those of the audience of a cluster', async () => {
    const scopes = 'openid audience:server:client_id:k8s-auth';
    at = await startExchange({ target: { scopes: ` ${scopes}\n` } });
    const { status, body } = await exchangeAnew({ scope: 'groups' });
    expect([status, body['scope']]).deep.equal([200, scopes]);
    expect(at.downstream.exchanges[0]).include({ scope: scopes });
  });

  it("exchanges the id token of a person who has signed in at the gateway's own provider", async () => {
    at = await startExchange();
    const { gateway, downstream } = at;
    const { url } = gateway.provider;
    const own = { issuer: url, jwksUrl: `${url}/jwks`, allowPrivateIPJWKS: true };
    await gateway.configureServer({ trustedIssuers: [own] });
    downstream.connect('a', own);
    gateway.provider.loginAs('bob', { groups: ['tea'] });
    const { body } = await gateway.redeem(await gateway.code());
    const given = { subject_token: String(body['id_token']), subject_token_type: typeUri('id_token') };
    const answer = await at.exchange(given);
    expect(answer.status, JSON.stringify(answer.body)).equal(200);
    const claims = decodeJwt(String(answer.body['access_token']));
    expect(claims).deep.include({ iss: downstream.url, sub: 'bob', groups: ['tea'] });
    // Its own opaque access token says nothing about a person elsewhere.
    const opaque = {
      subject_token: String(body['access_token']),
      subject_token_type: typeUri('access_token'),
    };
    expect((await at.exchange(opaque)).body['error']).equal('invalid_grant');
  });

  it('T76: serves a client that has registered with a secret, if clientAudiences names its id', async () => {
    at = await startExchange({ server: { registrationToken: REGISTRATION_TOKEN } });
    const registered = await fetch(`${at.gateway.base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${REGISTRATION_TOKEN}` },
      body: JSON.stringify({ redirect_uris: [REDIRECT] }),
    });
    const { client_id: id, client_secret: secret } = (await registered.json()) as Record<string, string>;
    const headers = { authorization: basic(id ?? '', secret ?? '') };
    const before = await at.exchange({}, headers);
    expect([before.status, before.body['error']]).deep.equal([400, 'invalid_target']);
    expect(at.downstream.exchanges).lengthOf(0);
    await at.configureBroker({ clientAudiences: { [id ?? '']: ['cluster-b'] } });
    expect((await at.exchange({}, headers)).status).equal(200);
    expect((await at.exchange({}, { authorization: basic(id ?? '', `${secret}x`) })).status).equal(401);
    expect((await at.exchange()).body['error'], 'portal is not named any more').equal('invalid_target');
  });

  it('logs who exchanged for whom, and neither tokens nor secrets', async () => {
    at = await startExchange();
    const { log } = at.gateway.gateway;
    const subject_token = await at.issuer.sign({ sub: 'alice.liddell@wonderland.example' });
    const good = await at.exchange({ subject_token });
    expect(log.having('token exchanged').map(({ level, data }) => [level, data])).deep.equal([
      [
        'info',
        {
          plugin: 'auth-exchange',
          client: 'portal',
          target: 'cluster-b',
          issuer: at.issuer.url,
          subject: 'alice.liddel…',
        },
      ],
    ]);
    // Once through each refusal.
    const expired = await at.issuer.sign({ exp: 1_000 });
    await at.exchange({ subject_token: expired });
    await at.exchange({}, { authorization: basic('portal', 'wrong secret') });
    await at.exchange({ audience: subject_token });
    await at.exchange({ subject_token_type: subject_token });
    await at.exchange({ requested_token_type: subject_token });
    await at.exchange({ client_id: 'portal', client_secret: subject_token }, {});
    await at.exchange({ grant_type: subject_token });
    const sent = [subject_token, expired];
    for (const members of [
      { access_token: subject_token },
      { access_token: 'opaque-4711' },
      { token_type: 'opaque-4711' },
      { scope: 'opaque-4711' },
      { scope: 4711 },
      { issued_token_type: 'opaque-4711' },
    ]) {
      at.downstream.answerWith(members);
      sent.push(await at.issuer.sign({ sub: `person ${sent.length}` }));
      await at.exchange({ subject_token: sent.at(-1) });
    }
    at.downstream.fail(500, '/token');
    await at.exchange({ subject_token: await at.issuer.sign({ sub: 'bob' }) });
    const text = JSON.stringify(log.records);
    const secrets = [
      String(good.body['access_token']),
      PORTAL_SECRET,
      at.downstream.secret,
      'wrong secret',
      'opaque-4711',
    ];
    const encoded = AS_PORTAL.authorization.slice('Basic '.length);
    for (const one of [...secrets, ...sent, encoded]) {
      expect(text).not.include(one);
      const signature = one.split('.')[2];
      if (signature !== undefined) expect(text).not.include(signature);
    }
    expect(log.having('gave no token').length).greaterThan(5);
  });
});
