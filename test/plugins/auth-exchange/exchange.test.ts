import { decodeJwt } from 'jose';
import { expect } from 'chai';
import { startExchange, typeUri } from '../../support/exchangeGateway.ts';

describe('auth-exchange', () => {
  it('exchanges a token of a trusted issuer for one of a downstream provider', async () => {
    const { exchange, downstream } = await startExchange();
    const { status, body, headers } = await exchange({ scope: 'admin everything' });
    expect(body).to.include({ token_type: 'Bearer', issued_token_type: typeUri('id_token') });
    expect(status).to.equal(200);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(decodeJwt(String(body['access_token']))).to.include({ iss: downstream.url, sub: 'alice' });
    expect(body['expires_in']).to.be.within(3_500, 3_600);
    expect(downstream.exchanges).to.have.length(1);
    expect(downstream.exchanges[0]).to.include({ connector_id: 'a', scope: 'openid profile email groups' });
  });

  it('accepts a token of a trusted issuer as bearer', async () => {
    const { gateway, issuer } = await startExchange();
    const good = await issuer.sign({ aud: gateway.base });
    expect((await gateway.mcp(good)).status).to.equal(200);
    expect((await gateway.mcp(await issuer.sign())).status).to.equal(401);
  });
});
