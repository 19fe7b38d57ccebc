import { expect } from 'chai';
import { digest } from '../../../../plugins/kit/secrets/secrets.ts';
import { PUBLIC_CLIENT, startAuthServer, tokensOf } from '../../../support/authServer.ts';
import type { AuthServer, TokenAnswer } from '../../../support/authServer.ts';

const KEEPER = { client_id: 'keeper', client_secret: 'secret' };
const ASKER = { client_id: 'asker', client_secret: 'other secret' };

describe('auth-server: revocation and introspection', () => {
  let auth: AuthServer;
  before(async () => {
    auth = await startAuthServer();
    for (const { client_id, client_secret } of [KEEPER, ASKER])
      await auth.known({
        ...PUBLIC_CLIENT,
        id: client_id,
        authMethod: 'client_secret_post',
        secretHash: digest(client_secret),
      });
  });
  const revoke = (form: Record<string, string>): Promise<TokenAnswer> => auth.post(form, {}, '/oauth/revoke');
  const introspect = (form: Record<string, string>): Promise<TokenAnswer> =>
    auth.post(form, {}, '/oauth/introspect');
  const isAdmitted = async (token: string): Promise<boolean> => (await auth.mcp(token)).status === 200;
  const keepersTokens = async () =>
    tokensOf(await auth.redeem(await auth.code({ client_id: KEEPER.client_id }), KEEPER));

  it('ends the whole sign-in by its refresh token, without a client for public ones', async () => {
    const { access, refresh } = await auth.tokens();
    const { status, body } = await revoke({ token: refresh, token_type_hint: 'refresh_token' });
    expect({ status, body }).deep.equal({ status: 200, body: {} });
    expect(await isAdmitted(access)).equal(false);
    expect((await auth.refresh(refresh)).body['error']).equal('invalid_grant');
  });

  it('ends an access token alone', async () => {
    const { access, refresh } = await auth.tokens();
    expect((await revoke({ token: access })).status).equal(200);
    expect(await isAdmitted(access)).equal(false);
    expect((await auth.refresh(refresh)).status).equal(200);
  });

  it('answers 200 for an unknown token, and 400 without one', async () => {
    expect((await revoke({ token: 'unknown' })).status).equal(200);
    expect((await revoke({})).body['error']).equal('invalid_request');
  });

  it('needs the secret of a client that has one, and ignores tokens of others', async () => {
    const { access, refresh } = await keepersTokens();
    expect((await revoke({ token: refresh })).status).equal(401);
    expect((await revoke({ token: refresh, client_id: KEEPER.client_id })).status).equal(401);
    expect((await revoke({ token: refresh, ...ASKER })).status).equal(200);
    expect((await revoke({ token: refresh, client_id: PUBLIC_CLIENT.id })).status).equal(200);
    expect(await isAdmitted(access)).equal(true);
    expect((await revoke({ token: refresh, ...KEEPER })).status).equal(200);
    expect(await isAdmitted(access)).equal(false);
  });

  it('tells a client with a secret about its own tokens only', async () => {
    const { access } = await keepersTokens();
    const { body } = await introspect({ token: access, ...KEEPER });
    expect(body).include({ active: true, token_type: 'Bearer', sub: 'alice', email: 'alice@example.com' });
    expect((await introspect({ token: access, ...ASKER })).body).deep.equal({ active: false });
    expect((await introspect({ token: 'unknown', ...KEEPER })).body).deep.equal({ active: false });
    expect((await introspect({ token: access, client_id: PUBLIC_CLIENT.id })).status).equal(401);
    const unnamed = await introspect({ token: access });
    expect([unnamed.status, unnamed.body['error']]).deep.equal([401, 'invalid_client']);
  });
});
