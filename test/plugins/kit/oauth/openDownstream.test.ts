import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/index.ts';
import { openDownstream } from '../../../../plugins/kit/oauth/openDownstream.ts';
import type { Downstream } from '../../../../plugins/kit/oauth/downstream.ts';
import type { ExchangeTarget, TargetClient } from '../../../../plugins/kit/oauth/exchangeTarget.ts';
import { OAuthError } from '../../../../plugins/kit/oauth/oauthError.ts';
import type { SecretSource } from '../../../../plugins/contracts/secrets.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { goodAnswer } from '../../../support/downstreamAt.ts';
import { startDownstreamProvider } from '../../../support/downstreamProvider.ts';
import { typeUri } from '../../../support/exchangeGateway.ts';
import { captureLog } from '../../../support/log.ts';
import type { CapturedLog } from '../../../support/log.ts';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';

const KEY = 'aggregator.oauth.mcpClient.tokenExchange.allowPrivateIP';

describe('exchanges for other plugins, without a broker', () => {
  const open = (
    allowPrivate: boolean,
    files: Readonly<Record<string, string>> = {},
    log: CapturedLog = captureLog(),
    source?: SecretSource,
  ): Promise<Downstream> => {
    const directory = makeDirectory(files);
    return openDownstream({
      allowPrivate,
      privateKey: KEY,
      log,
      trust: () => undefined,
      directory: () => directory.path,
      secrets: () => source,
    });
  };

  it('send a token to a provider with a secret in a file, in a text with references, or in a secret of the platform', async () => {
    const issuer = await startTokenIssuer();
    const provider = await startDownstreamProvider({
      connectors: { a: { issuer: issuer.url, jwksUrl: `${issuer.url}/keys` } },
    });
    const { secret } = provider;
    const { clientId } = provider.target() as { readonly clientId: string };
    const kept = new Map([
      ['others/idp/id', clientId],
      ['others/idp/secret', secret],
    ]);
    const source: SecretSource = {
      read: ({ name, namespace = '' }, keys) =>
        Promise.resolve(keys.map((key) => kept.get(`${namespace}/${name}/${key}`) ?? '')),
    };
    const downstream = await open(true, { secret }, captureLog(), source);
    const target = { name: 'server', endpoint: `${provider.url}/token`, connectorId: 'a' };
    const clients: readonly TargetClient[] = [
      ...[{ file: 'secret' }, { text: '${file:secret}' }, { text: secret }].map((one) => ({
        id: clientId,
        secret: one,
      })),
      { name: 'idp', namespace: 'others', clientIdKey: 'id', clientSecretKey: 'secret' },
    ];
    for (const client of clients) {
      const token = await issuer.sign();
      const given = await downstream.exchange({ ...target, client }, token, typeUri('access_token'));
      expect(given.type).equal(typeUri('id_token'));
      expect(provider.exchanges.at(-1)).include({
        subject_token: token,
        scope: 'openid profile email groups',
      });
    }
  });

  it('name a public client by its id', async () => {
    let form = new URLSearchParams();
    let authorization: string | undefined;
    const server = await serveWithOutages(async (req, res) => {
      authorization = req.headers.authorization;
      let body = '';
      for await (const chunk of req) body += String(chunk);
      form = new URLSearchParams(body);
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(goodAnswer(server.url)));
    });
    const target: ExchangeTarget = {
      name: 'server',
      endpoint: `${server.url}/token`,
      connectorId: 'a',
      client: { id: 'public' },
    };
    await (await open(true)).exchange(target, 'subject', typeUri('id_token'));
    expect([authorization, form.get('client_id')]).deep.equal([undefined, 'public']);
  });

  it('say to the log why a secret of the platform cannot be read', async () => {
    const client = { name: 'idp', clientIdKey: 'id', clientSecretKey: 'secret' };
    const target = { name: 'server', endpoint: 'https://idp.example/token', connectorId: 'a', client };
    const missing: SecretSource = {
      read: () => Promise.reject(new GatewayError('STORE_NOT_FOUND', 'secret idp has no key id; add it')),
    };
    for (const [source, detail] of [
      [undefined, 'clientCredentialsSecretRef is read in orchestrator mode only'],
      [missing, 'secret idp has no key id; add it'],
    ] as const) {
      const log = captureLog();
      const downstream = await open(true, {}, log, source);
      const refused: unknown = await downstream
        .exchange(target, 'subject', typeUri('id_token'))
        .catch((error: unknown) => error);
      expect(refused).include({ error: 'temporarily_unavailable', reason: 'downstream-secret-unreadable' });
      expect(log.having('gave no token').at(-1)?.data['detail']).equal(detail);
    }
  });

  it('refuse a private endpoint, and say to the log which key opens it', async () => {
    const server = await serveWithOutages((_, res) => res.end());
    const log = captureLog();
    const target = { name: 'server', endpoint: `${server.url}/token`, connectorId: 'a', client: { id: 'c' } };
    const refused: unknown = await (
      await open(false, {}, log)
    )
      .exchange(target, 'subject', typeUri('id_token'))
      .catch((error: unknown) => error);
    expect(refused).instanceOf(OAuthError);
    expect((refused as OAuthError).message)
      .contain('DNS rebinding')
      .not.contain('127.0.0.1');
    expect(log.having('gave no token').at(-1)?.data['detail']).contain(KEY);
    expect(server.requests('/token')).equal(0);
  });
});
