import { decodeJwt } from 'jose';
import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import { startExchange, typeUri } from '../../../support/exchangeGateway.ts';
import type { ExchangeGateway } from '../../../support/exchangeGateway.ts';
import { startStandardExchange } from '../../../support/standardExchange.ts';
import type { StandardExchange } from '../../../support/standardExchange.ts';

describe('auth-exchange: forms of exchange', () => {
  let provider: StandardExchange;
  const start = (target: JsonObject): Promise<ExchangeGateway> =>
    startExchange({
      target: { connectorId: undefined, idpTokenEndpoint: provider.tokenEndpoint, ...target },
    });
  const told = ({ gateway }: ExchangeGateway): unknown =>
    gateway.gateway.log.having('gave no token').at(-1)?.data['detail'];
  beforeEach(async () => {
    provider = await startStandardExchange();
  });

  it('without connectorId ask for an access token for an audience, as Keycloak has it', async () => {
    const at = await start({ audience: 'target-api' });
    const { status, body } = await at.exchange();
    expect(status, JSON.stringify(body)).equal(200);
    expect(body).include({ issued_token_type: typeUri('access_token'), scope: 'profile email' });
    expect(decodeJwt(String(body['access_token']))).include({ aud: 'target-api' });
    const { subject_token, ...form } = provider.forms[0] ?? {};
    expect(subject_token).match(/^ey/);
    expect(form).deep.equal({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: typeUri('access_token'),
      requested_token_type: typeUri('access_token'),
      audience: 'target-api',
    });
    const wanted = await at.exchange({ requested_token_type: typeUri('id_token') });
    expect(wanted.body).include({ error: 'invalid_request' });
  });

  it('have a resource, scopes and types as the target writes them', async () => {
    const resource = 'https://api.example.com/';
    const at = await start({
      resource,
      scopes: 'profile',
      requestedTokenType: 'jwt',
      subjectTokenType: 'jwt',
    });
    const { body } = await at.exchange({ subject_token_type: typeUri('jwt') });
    expect(body).include({ error: 'invalid_grant' });
    const requested_token_type = typeUri('jwt');
    expect(provider.forms[0]).include({ resource, scope: 'profile', requested_token_type });
    expect(provider.forms[0]).not.have.any.keys('audience', 'connector_id');
  });

  it('refuse other subject tokens than the target takes, before the provider is asked', async () => {
    const at = await start({ audience: 'target-api', subjectTokenType: 'access_token' });
    const subject_token = await at.issuer.sign();
    const { body } = await at.exchange({ subject_token, subject_token_type: typeUri('jwt') });
    expect(body['error']).equal('invalid_request');
    expect(body['error_description']).equal(`subject_token_type must be ${typeUri('access_token')}`);
    expect(provider.forms).deep.equal([]);
  });

  it('are refused with the words of the provider and the key to look at, in one line of the log', async () => {
    const loose = await start({ audience: 'target-api' });
    await loose.exchange({ subject_token: await loose.issuer.sign(), subject_token_type: typeUri('jwt') });
    expect(told(loose)).equal(
      'status 400 invalid_request: Invalid token type, must be access token; check connectorId, audience, resource, requestedTokenType, subjectTokenType and scopes, and what its provider allows this client',
    );
    const scoped = await start({ audience: 'target-api', scopes: 'openid groups' });
    await scoped.exchange();
    expect(told(scoped)).match(/^status 400 invalid_scope: Invalid scopes: openid groups; check .*scopes/);
    const unknown = await start({ audience: 'unknown' });
    await unknown.exchange();
    expect(told(unknown)).match(/^status 400 invalid_client: Audience not found; check .*audience/);
  });
});
