import { expect } from 'chai';
import type { JsonObject, ReviewFacts } from '../../../kernel/index.ts';
import type { AuthExchangeConfig } from '../../../plugins/auth-exchange/config.ts';
import { reviewFindings } from '../../../plugins/auth-exchange/reviewFindings.ts';
import {
  BROKER,
  HEAD,
  ISSUER,
  gatewayWith,
  printedFindings as printed,
} from '../../support/printedFindings.ts';
import { runPegboard } from '../../support/serve.ts';
import { startTokenIssuer } from '../../support/tokenIssuer.ts';

const ofBroker = (key: string, entry: JsonObject): Promise<readonly string[]> =>
  printed(`${HEAD}${ISSUER}${BROKER}        ${key}:\n          b: ${JSON.stringify(entry)}\n`);

describe('auth-exchange: as `pegboard check` reviews it', () => {
  it('has files of secrets that can be read and are not empty', async () => {
    for (const [file, reason] of [
      ['missing', 'missing, which cannot be read: ENOENT'],
      ['empty', 'names the file empty, which is empty; write the secret into it'],
      ['state', 'state, which cannot be read: it is not a regular file'],
    ] as const) {
      const target = { idpTokenEndpoint: 'https://b.example.com/token', connectorId: 'a', clientId: 'c' };
      for (const found of [
        await ofBroker('brokerClients', { clientSecretFile: file }),
        await ofBroker('targets', { ...target, clientSecretFile: file }),
      ]) {
        expect(found).lengthOf(1);
        expect(found[0]).match(
          /^config\.yaml:13:\d+: error: tokenExchangeBroker\.(brokerClients|targets)\.b\.clientSecretFile /,
        );
        expect(found[0]).include(reason);
      }
    }
  });

  it('has a server that pins the issuer of a grant, with grantScope: subject', async () => {
    const grantIssuer = 'https://as.example.com';
    const config = {
      aggregator: {
        oauth: {
          server: {
            trustedIssuers: [],
            tokenExchangeBroker: { targets: { b: { grantIssuer } }, brokerClients: {} },
          },
        },
      },
    };
    const found = async (authorizationServer?: JsonObject): Promise<number> => {
      const spec = { type: 'streamable-http', ...(authorizationServer && { auth: { authorizationServer } }) };
      const facts = {
        config,
        directory: '/',
        isOnline: false,
        resources: [{ kind: 'MCPServer', name: 's', spec }],
      };
      return (await reviewFindings(facts as unknown as ReviewFacts<AuthExchangeConfig>)).length;
    };
    expect(await found({ issuer: grantIssuer, grantScope: 'subject' })).equal(0);
    for (const other of [
      undefined,
      { issuer: grantIssuer },
      { issuer: grantIssuer, grantScope: 'session' },
      { issuer: `${grantIssuer}/`, grantScope: 'subject' },
    ])
      expect(await found(other), JSON.stringify(other)).equal(1);
  });

  it('with --online has keys of issuers that can be read', async () => {
    const issuer = await startTokenIssuer();
    const online = async (changes: JsonObject): Promise<readonly string[]> =>
      (
        await printed(`${HEAD}      trustedIssuers: [${JSON.stringify(issuer.trusted(changes))}]\n`, true)
      ).filter((line) => line.includes('jwksUrl'));
    expect(await online({})).deep.equal([]);
    expect(issuer.reads()).equal(1);
    const [hidden] = await online({ allowPrivateIPJWKS: false });
    expect(hidden).match(/^config\.yaml:7:\d+: error: trustedIssuers\.0\.jwksUrl cannot be read: .*private/);
    expect(hidden).include('allowPrivateIPJWKS');
    const [absent] = await online({ jwksUrl: `${issuer.url}/nothing` });
    expect(absent).include('cannot be read: status 404');
    await issuer.close();
    const [away] = await online({});
    expect(away).include('ECONNREFUSED');
  });

  it('names a key at the level of aggregator.oauth.server that no plugin knows', async () => {
    const found = await printed(`${HEAD}      tokenExchangeBrokr: {}\n`);
    expect(found).lengthOf(1);
    expect(found[0]).match(/^config\.yaml:7:7: error: .*unknown key "tokenExchangeBrokr"/);
  });

  it('says nothing where config.yaml says that sign-in is off', async () => {
    const wrong = `${ISSUER}${BROKER}        brokerClients: { portal: { clientSecretFile: missing } }\n`;
    expect(await printed(HEAD.replace('true', 'false') + wrong)).deep.equal([]);
    const unsaid = await printed(`aggregator:\n  oauth:\n    server:\n${wrong}`);
    expect(unsaid).lengthOf(1);
    expect(unsaid[0]).match(/^config\.yaml:3:5: error: plugin auth-server: .* has settings, but is off/);
  });

  it('is refused by the program with exit code 2, and shows no secret', async () => {
    const text = `${HEAD}${ISSUER}${BROKER}        brokerClients: { portal: { clientSecret: very-secret-4711 } }\n`;
    const { directory } = await gatewayWith(text);
    const { code, stdout, stderr } = await runPegboard(['check', '--config-path', directory.path]);
    expect(code, stdout + stderr).equal(2);
    expect(stdout).include(`${directory.at('config.yaml')}:12:36: error: plugin auth-exchange: unknown key`);
    expect(stdout).include('did you mean "clientSecretFile"?');
    expect(stdout + stderr).not.include('4711');
  });
});
