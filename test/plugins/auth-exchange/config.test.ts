import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { AS_PORTAL, PORTAL_SECRET, startExchange } from '../../support/exchangeGateway.ts';
import { BROKER, HEAD, ISSUER, printedFindings as printed } from '../../support/printedFindings.ts';

const TARGET: JsonObject = {
  idpTokenEndpoint: 'https://login.b.example.com/token',
  connectorId: 'a',
  clientId: 'pegboard',
  clientSecretFile: 'secret',
};

/** What is printed about one target in line 13; the finding is at the target or at one of its keys. */
const ofTarget = (target: JsonObject): Promise<readonly string[]> =>
  printed(`${HEAD}${ISSUER}${BROKER}        targets:\n          b: ${JSON.stringify(target)}\n`);
const ofClient = (client: JsonObject): Promise<readonly string[]> =>
  printed(`${HEAD}${ISSUER}${BROKER}        brokerClients:\n          portal: ${JSON.stringify(client)}\n`);
const ofIssuer = (changes: JsonObject): Promise<readonly string[]> => {
  const good = {
    issuer: 'https://i.example.com',
    jwksUrl: 'https://i.example.com/keys',
    allowedAudiences: ['p'],
  };
  return printed(`${HEAD}      trustedIssuers:\n        - ${JSON.stringify({ ...good, ...changes })}\n`);
};

describe('auth-exchange: its configuration', () => {
  it('is complete with an issuer, a client, what it may name, and a target', async () => {
    const broker = `        brokerClients:
          portal: { clientSecretFile: secret, scopes: openid }
          other: { clientSecretFile: secret, scopes: [openid, groups] }
        clientAudiences:
          portal: [cluster-b]
          registered-client: [cluster-b]
        targets:
          cluster-b: ${JSON.stringify(TARGET)}
`;
    expect(await printed(HEAD + ISSUER)).deep.equal([]);
    expect(await printed(HEAD + ISSUER + BROKER + broker)).deep.equal([]);
  });

  describe('names the place of a key that it does not know, and the key that was meant', () => {
    for (const [text, expected] of [
      [
        `${ISSUER}          allowedAudience: [a]\n`,
        '11:11: error: unknown key "allowedAudience"; did you mean "allowedAudiences"?',
      ],
      [
        `${ISSUER}${BROKER}        clientAudience: {}\n`,
        '12:9: error: unknown key "clientAudience"; did you mean "clientAudiences"?',
      ],
      [
        `${ISSUER}${BROKER}        targets:\n          b:\n            idpTokenEndpint: https://b.example.com\n`,
        '14:13: error: unknown key "idpTokenEndpint"; did you mean "idpTokenEndpoint"?',
      ],
      [
        `${ISSUER}${BROKER}        brokerClients:\n          portal:\n            clientSecret: very-secret-4711\n`,
        '14:13: error: unknown key "clientSecret"; did you mean "clientSecretFile"?',
      ],
      [
        `${ISSUER}${BROKER}        targets:\n          b:\n            clientSecret: very-secret-4711\n`,
        '14:13: error: unknown key "clientSecret"; did you mean "clientSecretFile"?',
      ],
    ] as const)
      it(expected.replace(/.*unknown key/, 'for'), async () => {
        const found = await printed(HEAD + text);
        expect(found.filter((line) => line.includes('unknown key'))).deep.equal([`config.yaml:${expected}`]);
        expect(found.join()).not.include('very-secret-4711');
      });
  });

  describe('refuses a value of another type', () => {
    for (const [text, expected] of [
      ['      trustedIssuers: {}\n', '7:7: error: trustedIssuers must be an array'],
      ['      trustedIssuers: [{ issuer: a }]\n', '7:24: error: trustedIssuers.0.jwksUrl is required'],
      [
        `${ISSUER}          allowedClaims: { email: [a] }\n`,
        '11:28: error: trustedIssuers.0.allowedClaims.email must be a string',
      ],
      [
        `${ISSUER}          allowPrivateIPJWKS: "yes"\n`,
        '11:11: error: trustedIssuers.0.allowPrivateIPJWKS must be',
      ],
      [`${ISSUER}${BROKER}`, '11:7: error: tokenExchangeBroker must be an object, not null'],
      [
        `${ISSUER}      tokenExchangeBroker: []\n`,
        '11:7: error: tokenExchangeBroker must be an object, not a list',
      ],
      [
        `${ISSUER}${BROKER}        clientAudiences: { portal: cluster-b }\n`,
        '12:28: error: tokenExchangeBroker.clientAudiences.portal must be an array',
      ],
      [
        `${ISSUER}${BROKER}        targets: { b: { scopes: [openid] } }\n`,
        '12:25: error: tokenExchangeBroker.targets.b.scopes must be a string',
      ],
      [
        `${ISSUER}${BROKER}        brokerClients: { portal: secret }\n`,
        '12:26: error: tokenExchangeBroker.brokerClients.portal must be an object',
      ],
      [
        `${ISSUER}${BROKER}        brokerClients: { portal: { clientSecretFile: "" } }\n`,
        '12:36: error: tokenExchangeBroker.brokerClients.portal.clientSecretFile must have at least 1 character',
      ],
    ] as const)
      it(expected, async () => {
        const found = await printed(HEAD + text);
        expect(
          found.filter((line) => line.startsWith(`config.yaml:${expected}`)),
          found.join('\n'),
        ).lengthOf(1);
      });

    it('and an empty name of a file, an id or a connector', async () => {
      for (const key of ['clientSecretFile', 'clientId', 'connectorId'])
        expect((await ofTarget({ ...TARGET, [key]: '' })).join()).include(
          `.${key} must have at least 1 character`,
        );
    });
  });

  describe('of a target', () => {
    const at = (column: number): string => `config.yaml:13:${column}: `;
    const b = 'tokenExchangeBroker.targets.b';
    const grant = { grantIssuer: 'https://as.example.com' };

    it('has one of two forms', async () => {
      const neither = 'has neither idpTokenEndpoint (exchange form) nor grantIssuer (grant form); write one';
      for (const target of [{}, { ...TARGET, idpTokenEndpoint: undefined }])
        expect(await ofTarget(target)).deep.equal([`${at(11)}error: ${b} ${neither}`]);
      for (const [key, value] of Object.entries({
        ...TARGET,
        expectedIssuer: '',
        scopes: 'openid',
        clientCredentialsSecretRef: { name: 's' },
      }))
        expect(await ofTarget({ ...grant, [key]: value })).deep.equal([
          `${at(11)}error: ${b} has grantIssuer, which excludes ${key}; remove one or the other`,
        ]);
      const [both] = await ofTarget({ ...TARGET, ...grant });
      expect(both).include('excludes idpTokenEndpoint, connectorId, clientId, clientSecretFile;');
    });

    it('may have the grant form, for people of the login provider if it is trusted', async () => {
      const unpinned = `warning: ${b}.grantIssuer is pinned by no server:`;
      const [first, ...rest] = await ofTarget(grant);
      expect([first?.startsWith(at(15) + unpinned), rest]).deep.equal([true, []]);
      const other = ISSUER.replaceAll('login.example.com', 'other.example.com');
      const targets = `        targets:\n          b: ${JSON.stringify(grant)}\n`;
      const found = await printed(`${HEAD}${other}${BROKER}${targets}`);
      expect(found).include(
        `${at(15)}warning: ${b}.grantIssuer releases nothing: only tokens of the login provider count here; add https://login.example.com to trustedIssuers`,
      );
    });

    for (const [key, value, why] of [
      ['grantIssuer', 'http://as.example.com', 'it is an issuer'],
      ['idpTokenEndpoint', 'http://login.b.example.com/token', 'tokens and a secret are sent there'],
    ] as const)
      it(`has ${key} with https`, async () => {
        const base = key === 'grantIssuer' ? {} : TARGET;
        const message = `must begin with https:// (http:// only for localhost), because ${why}`;
        const [found, ...rest] = await ofTarget({ ...base, [key]: value });
        expect([found?.replace(/:13:\d+:/, ''), rest]).deep.equal([
          `config.yaml error: ${b}.${key} ${message}`,
          [],
        ]);
        for (const [wrong, reason] of [
          ['login', 'must be an address that begins with https://, not "login"'],
          ['', 'must be an address that begins with https://, not ""'],
          ['https://user:4711@b.example.com/token', 'must not have a user or a fragment'],
          ['https://b.example.com/token#x', 'must not have a user or a fragment'],
          ['ftp://localhost/token', message],
          ['http://localhost.example.com/token', message],
        ] as const)
          expect((await ofTarget({ ...base, [key]: wrong })).join()).include(`${b}.${key} ${reason}`);
        for (const good of ['http://localhost:1/token', 'http://127.0.0.1/token', 'http://[::1]/token'])
          expect((await ofTarget({ ...base, [key]: good })).join()).not.include('error');
      });

    it('has a connector and credentials', async () => {
      expect(await ofTarget({ ...TARGET, connectorId: undefined })).deep.equal([
        `${at(11)}error: ${b} has no connectorId (Dex), audience (Keycloak) or resource; write what the provider needs`,
      ]);
      for (const key of ['clientId', 'clientSecretFile'])
        expect(await ofTarget({ ...TARGET, [key]: undefined })).deep.equal([
          `${at(11)}error: ${b} has no credentials; write clientId and clientSecretFile, or clientCredentialsSecretRef`,
        ]);
    });

    it('may have credentials of the orchestrator, which are not read here', async () => {
      const clientCredentialsSecretRef = { name: 's' };
      const { clientSecretFile, ...others } = TARGET;
      const [found, ...rest] = await ofTarget({ ...others, clientCredentialsSecretRef });
      expect(found).include(
        `warning: ${b}.clientCredentialsSecretRef is read in orchestrator mode only: until then this entry is left out; write clientSecretFile`,
      );
      expect(rest).deep.equal([]);
      expect(await ofTarget({ ...TARGET, clientCredentialsSecretRef, clientSecretFile })).deep.equal([
        `${at(11)}error: ${b} has clientSecretFile and clientCredentialsSecretRef; remove one of them`,
      ]);
      expect((await ofTarget({ ...others, clientCredentialsSecretRef: {} })).join()).include(
        'name is required',
      );
    });
  });

  it('has for each client one source of its secret', async () => {
    const portal = 'tokenExchangeBroker.brokerClients.portal';
    const ref = { clientCredentialsSecretRef: { name: 's', namespace: 'n' } };
    expect(await ofClient({})).deep.equal([
      `config.yaml:13:11: error: ${portal} has no secret; write clientSecretFile, or clientCredentialsSecretRef`,
    ]);
    expect(await ofClient({ clientSecretFile: 'secret', ...ref })).deep.equal([
      `config.yaml:13:11: error: ${portal} has clientSecretFile and clientCredentialsSecretRef; remove one of them`,
    ]);
    expect(await ofClient(ref)).deep.equal([
      `config.yaml:13:20: warning: ${portal}.clientCredentialsSecretRef is read in orchestrator mode only: until then this entry is left out; write clientSecretFile`,
    ]);
  });

  it('warns about audiences that are not targets, with the names of all objects too', async () => {
    const lists = '        clientAudiences:\n          portal: [b, constructor]\n';
    const targets = `        targets: { b: ${JSON.stringify(TARGET)} }\n`;
    expect(await printed(HEAD + ISSUER + BROKER + lists + targets)).deep.equal([
      'config.yaml:13:23: warning: tokenExchangeBroker.clientAudiences.portal.1 names "constructor", which is not in targets',
    ]);
  });

  it('warns about switches that weaken it, and about a broker without issuers', async () => {
    const open = `${BROKER}        allowPrivateIP: true\n`;
    expect(await printed(`${HEAD}${ISSUER}          allowPrivateIPJWKS: true\n${open}`)).deep.equal([
      'config.yaml:11:11: warning: trustedIssuers.0.allowPrivateIPJWKS lets the keys have a private address: remove it unless theirs have one',
      'config.yaml:13:9: warning: tokenExchangeBroker.allowPrivateIP lets token endpoints have private addresses: tokens are sent there',
    ]);
    expect(await printed(`${HEAD}      tokenExchangeBroker: {}\n`)).deep.equal([
      'config.yaml:7:7: warning: tokenExchangeBroker has no effect without trustedIssuers: no subject token can be accepted',
    ]);
    expect((await ofIssuer({ allowedAudiences: [] })).join()).include(
      'warning: trustedIssuers.0.issuer has neither allowedAudiences nor allowedClaims: all its people and clients are trusted',
    );
    expect(await ofIssuer({ allowedAudiences: [], allowedClaims: { hd: 'example.com' } })).deep.equal([]);
  });

  it('has keys of issuers read by https', async () => {
    expect((await ofIssuer({ jwksUrl: 'http://i.example.com/keys' })).join()).include(
      'error: trustedIssuers.0.jwksUrl must begin with https:// (http:// only for localhost), because keys are read there',
    );
  });

  it('leaves out what has no secret here, and serves the rest', async () => {
    const at = await startExchange({
      broker: {
        clientAudiences: { portal: ['cluster-b'], orchestrated: ['cluster-b'] },
        brokerClients: {
          portal: { clientSecretFile: 'portal-secret' },
          orchestrated: { clientCredentialsSecretRef: { name: 's' } },
        },
      },
    });
    const form = { client_id: 'orchestrated', client_secret: PORTAL_SECRET };
    expect((await at.exchange(form, {})).status).equal(401);
    expect((await at.exchange({}, AS_PORTAL)).status).equal(200);
  });
});
