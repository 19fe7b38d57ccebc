import { expect } from 'chai';
import { digest } from '../../../plugins/kit/secrets/secrets.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { PORTAL_SECRET, TOKEN_EXCHANGE, basic, startExchange } from '../../support/exchangeGateway.ts';
import type { ExchangeGateway } from '../../support/exchangeGateway.ts';
import { until } from '../../support/until.ts';

const CANNOT = { error: 'invalid_target', error_description: 'the requested audience cannot be served' };

describe('auth-exchange: changes while people work', () => {
  let at: ExchangeGateway;

  const grantTypes = async ({ base }: AuthServer): Promise<unknown> => {
    const answer = await fetch(`${base}/.well-known/oauth-authorization-server`);
    return ((await answer.json()) as Readonly<Record<string, unknown>>)['grant_types_supported'];
  };

  it('advertises and serves the grant only while its keys are there', async () => {
    at = await startExchange();
    const { gateway, exchange } = at;
    expect(await grantTypes(gateway)).include(TOKEN_EXCHANGE);
    await gateway.configureServer({ trustedIssuers: undefined, tokenExchangeBroker: undefined });
    expect(await grantTypes(gateway)).not.include(TOKEN_EXCHANGE);
    const refused = await exchange();
    expect([refused.status, refused.body['error']]).deep.equal([400, 'unsupported_grant_type']);
    await gateway.configureServer({ trustedIssuers: [at.issuer.trusted()] });
    expect(await grantTypes(gateway)).include(TOKEN_EXCHANGE);
    // Without a broker its clients are unknown.
    expect((await exchange()).status).equal(401);
    await at.configureBroker({});
    expect((await exchange()).status).equal(200);
  });

  it('T75: without a broker, a client with a secret gets the one answer', async () => {
    at = await startExchange({ broker: false });
    const { gateway, issuer } = at;
    await gateway.known({
      id: 'own',
      redirectUris: [],
      authMethod: 'client_secret_basic',
      origin: 'token',
      secretHash: digest('own secret'),
    });
    expect((await at.exchange({}, { authorization: basic('own', 'other') })).status).equal(401);
    const answer = await at.exchange({}, { authorization: basic('own', 'own secret') });
    expect([answer.status, answer.body]).deep.equal([400, CANNOT]);
    expect(issuer.reads()).equal(0);
  });

  it('serves no target that was removed', async () => {
    at = await startExchange();
    expect((await at.exchange()).status).equal(200);
    await at.configureBroker({ targets: {} });
    expect((await at.exchange()).body).deep.equal(CANNOT);
  });

  it('drops kept tokens when the scopes of a target change', async () => {
    at = await startExchange();
    const subject_token = await at.issuer.sign();
    const first = await at.exchange({ subject_token });
    await at.configureBroker({ targets: { 'cluster-b': at.downstream.target({ scopes: 'openid' }) } });
    const second = await at.exchange({ subject_token });
    expect([first.body['scope'], second.body['scope']]).deep.equal(['openid profile email groups', 'openid']);
    expect(at.downstream.exchanges.map(({ scope }) => scope)).deep.equal([
      'openid profile email groups',
      'openid',
    ]);
  });

  it('reads the secret of a client at each use: a replaced one counts at once, without a reload', async () => {
    at = await startExchange();
    const { directory } = at.gateway.gateway;
    const statusWith = async (secret: string): Promise<number> =>
      (await at.exchange({}, { authorization: basic('portal', secret) })).status;
    expect(await statusWith(PORTAL_SECRET)).equal(200);
    directory.replace('portal-secret', 'new secret\n');
    expect([await statusWith(PORTAL_SECRET), await statusWith('new secret')]).deep.equal([401, 200]);
    directory.remove('portal-secret');
    expect([await statusWith(PORTAL_SECRET), await statusWith('new secret')]).deep.equal([503, 503]);
    const warnings = () => at.gateway.gateway.log.having('the secret of a broker client', 'warn');
    const [warned] = warnings();
    expect(warned?.data['client']).equal('portal');
    expect(String(warned?.data['reason'])).include(directory.at('portal-secret'));
    directory.replace('portal-secret', ' \n');
    expect([await statusWith(' '), await statusWith('')]).deep.equal([503, 503]);
    expect(warnings(), 'one for each reason, because anyone may repeat the request').lengthOf(2);
    directory.replace('portal-secret', PORTAL_SECRET);
    expect(await statusWith(PORTAL_SECRET)).equal(200);
    directory.remove('portal-secret');
    expect([await statusWith(PORTAL_SECRET), warnings().length]).deep.equal([503, 3]);
  });

  it('reads its own secret at the provider at each exchange', async () => {
    at = await startExchange();
    const { directory, log } = at.gateway.gateway;
    directory.replace('downstream-secret', 'wrong\n');
    const wrong = await at.exchange();
    expect([wrong.status, wrong.body['error']]).deep.equal([503, 'temporarily_unavailable']);
    expect(wrong.headers.get('retry-after')).equal('5');
    expect(log.having('gave no token').at(-1)?.data).include({
      reason: 'downstream-credentials-refused',
      detail: 'status 401 invalid_client: client authentication failed',
    });
    directory.remove('downstream-secret');
    expect((await at.exchange()).status).equal(503);
    expect(log.having('gave no token', 'warn').at(-1)?.data['reason']).equal('downstream-secret-unreadable');
    directory.replace('downstream-secret', at.downstream.secret);
    expect((await at.exchange()).status).equal(200);
  });

  it('keeps the last good configuration when an edit is broken', async () => {
    at = await startExchange();
    const { issues } = await at.configureBroker({ targets: { 'cluster-b': { connectorId: 'a' } } });
    expect(issues.map(({ severity }) => severity)).include('error');
    expect((await at.exchange()).status).equal(200);
    const misspelt = await at.configureBroker({ brokerClient: {} });
    expect(misspelt.issues.map(({ message }) => message).join()).include('brokerClient');
    expect((await at.exchange()).status).equal(200);
  });

  it('ends an exchange that has begun with the configuration it began with', async () => {
    at = await startExchange();
    at.downstream.pause('/token');
    const begun = at.exchange();
    await until(() => at.downstream.requests('/token') === 1, { what: 'the exchange downstream' });
    const edited = at.configureBroker({
      targets: { 'cluster-b': at.downstream.target({ scopes: 'openid' }) },
    });
    await at.gateway.gateway.log.heard('configuration applied');
    at.downstream.resume();
    expect((await begun).body['scope']).equal('openid profile email groups');
    await edited;
    expect((await at.exchange()).body['scope']).equal('openid');
  });

  it('answers 429 to a client with too many requests', async () => {
    const rateLimits = { perAddress: 100_000, perClient: 1, perPerson: 100_000, logLines: 100_000 };
    at = await startExchange({ server: { rateLimits } });
    const subject_token = await at.issuer.sign();
    const answers = await Promise.all(Array.from({ length: 10 }, () => at.exchange({ subject_token })));
    expect(answers.map(({ status }) => status)).include(200);
    const limited = answers.find(({ status }) => status === 429);
    expect(limited?.body['error']).equal('rate_limit_exceeded');
    expect(limited?.headers.get('retry-after')).match(/^\d+$/);
    expect(answers.filter(({ status }) => status === 200).length).at.most(4);
  });
});
