import { expect } from 'chai';
import { stringify } from 'yaml';
import { builtInNames, loadBuiltIn } from '../../../kernel/loader.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { composeGateway } from '../../support/gateway.ts';

const SERVER = {
  baseUrl: 'https://gateway.example.com',
  idp: { issuerUrl: 'https://login.example.com', clientId: 'pegboard', clientSecretFile: 'secret.txt' },
};
const ISSUER = { issuer: 'https://a.example', jwksUrl: 'https://a.example/keys', allowedAudiences: ['g'] };

/** A row for each plugin that reads other parts of config.yaml than `plugins.<name>.config`: a section with a slip → the
 *  beginnings of all that check says. */
const SLIPS: Readonly<
  Record<string, readonly (readonly [slip: string, config: JsonObject, told: readonly string[]])[]>
> = {
  'auth-server': [
    ['typo', server({ enabld: true }), ['error: unknown key "enabld"; did you mean "enabled"?']],
    [
      'text',
      server({ enabled: 'true' }),
      ['error: aggregator.oauth.server.enabled must be a boolean, not "true"'],
    ],
    [
      'text',
      server({ enabled: 'yes' }),
      ['error: aggregator.oauth.server.enabled must be a boolean, not "yes"'],
    ],
    [
      'missing',
      server({}),
      ['error: aggregator.oauth.server has settings, but is off: it has no "enabled"; write'],
    ],
    [
      'unknown key',
      server({ enabled: false, sesionDuration: '1h' }),
      ['error: unknown key "sesionDuration"'],
    ],
    ['no slip', server({ enabled: false }), []],
  ],
  'auth-exchange': [
    ['typo', server({ enabled: false, trustdIssuers: [ISSUER] }), ['error: unknown key "trustdIssuers"']],
    [
      'text',
      server({ enabled: false, trustedIssuers: [{ ...ISSUER, allowPrivateIPJWKS: 'yes' }] }),
      ['error: aggregator.oauth.server.trustedIssuers.0.allowPrivateIPJWKS must be a boolean, not "yes"'],
    ],
    [
      'missing',
      server({ trustedIssuers: [ISSUER] }),
      ['error: aggregator.oauth.server has settings, but is off'],
    ],
    [
      'unknown key',
      server({ enabled: false, tokenExchangeBroker: { target: {} } }),
      ['error: unknown key "target"; did you mean "targets"?'],
    ],
    ['no slip', server({ enabled: false, trustedIssuers: [ISSUER] }), []],
  ],
  'auth-client': [
    ['typo', client({ enabld: true }), ['error: unknown key "enabld"; did you mean "enabled"?']],
    [
      'text',
      client({ enabled: 'on' }),
      ['error: aggregator.oauth.mcpClient.enabled must be a boolean, not "on"'],
    ],
    ['missing', client({ clientId: 'a' }), ['warning: aggregator.oauth.mcpClient has settings, but is off']],
    ['unknown key', client({ enabled: false, callback: '/a' }), ['error: unknown key "callback"']],
    ['no slip', client({ enabled: false, clientId: 'a' }), []],
  ],
  admin: [
    ['typo', admin({ enabld: true }), ['error: unknown key "enabld"; did you mean "enabled"?']],
    ['text', admin({ enabled: 'yes' }), ['error: aggregator.admin.enabled must be a boolean, not "yes"']],
    ['missing', admin({ port: 2 }), ['warning: aggregator.admin has settings, but is off']],
    ['unknown key', admin({ enabled: false, prt: 2 }), ['error: unknown key "prt"; did you mean "port"?']],
    ['no slip', admin({ enabled: false, port: 2 }), []],
  ],
  access: [
    ['typo', { acess: [] }, ['error: unknown key "acess"; did you mean "access"?']],
    ['text', { access: 'all' }, ['error: access must be an array, not "all"']],
    ['missing', { access: null }, ['error: access must be an array, not null']],
    [
      'unknown key',
      { access: [{ groups: ['*'], toolset: ['preset:full'], grups: [] }], plugins: { access: false } },
      ['error: unknown key "grups"'],
    ],
    ['elsewhere', { plugins: { access: { config: { access: [] } } } }, [unread('access'), silent('access')]],
  ],
  operators: [
    ['typo', { operatrs: {} }, ['error: unknown key "operatrs"; did you mean "operators"?']],
    ['text', { operators: 'all' }, ['error: operators must be an object, not "all"']],
    ['unknown key', { operators: { grups: ['a'] } }, ['error: unknown key "grups"; did you mean "groups"?']],
    [
      'switched off',
      { operators: { grups: ['a'] }, plugins: { operators: false } },
      ['error: unknown key "grups"; did you mean "groups"?'],
    ],
    ['elsewhere', on('operators', { groups: ['a'] }), [unread('operators')]],
  ],
  references: [
    ['typo', { refrences: {} }, ['error: unknown key "refrences"; did you mean "references"?']],
    ['text', { references: 'all' }, ['error: references must be an object, not "all"']],
    ['unknown key', { references: { alow: [] } }, ['error: unknown key "alow"; did you mean "allow"?']],
    ['elsewhere', on('references', { allow: [] }), [unread('references')]],
  ],
  'local-token': [
    [
      'typo',
      { aggregator: { localTokn: true } },
      ['error: unknown key "localTokn"; did you mean "localToken"?'],
    ],
    [
      'text',
      { aggregator: { localToken: 'yes' } },
      ['error: aggregator.localToken must be a boolean, not "yes"'],
    ],
    ['elsewhere', on('local-token', { localToken: true }), [unread('local-token'), silent('local-token')]],
  ],
  isolate: [
    ['typo', on('isolate', { memoryMB: 1 }), ['error: unknown key "memoryMB"; did you mean "memoryMb"?']],
    ['text', on('isolate', { tmpMb: 'much' }), ['error: tmpMb must be an integer, not "much"']],
  ],
  http: [
    ['typo', off('http', { prt: 1 }), ['error: unknown key "prt"; did you mean "port"?', silent('http')]],
    ['text', off('http', { anyPort: 'no' }), ['error: anyPort must be a boolean, not "no"', silent('http')]],
    ['unknown key', off('http', { size: 1 }), ['error: unknown key "size"', silent('http')]],
  ],
  'store-kubernetes': [
    [
      'typo',
      kubernetes({ contxt: 'a' }),
      ['error: unknown key "contxt"; did you mean "context"?', silent('store-kubernetes')],
    ],
    ['unknown key', { writesAsCaller: { audience: 'a' } }, ['error: unknown key "audience"']],
  ],
  metatools: [
    ['unknown key', { ...on('metatools', { bugdet: 1 }) }, ['error: unknown key "bugdet"']],
    [
      'text',
      { aggregator: { resultBudget: 'no' } },
      ['error: aggregator.resultBudget must be an integer, not "no"'],
    ],
  ],
  toolsets: [
    [
      'unknown key',
      { toolsetPresets: { a: { includ: [] } } },
      ['error: toolset preset "a": unknown key "includ"; did you mean "include"?'],
    ],
    ['elsewhere', on('toolsets', { toolsetPresets: {} }), [unread('toolsets')]],
  ],
  upstream: [
    ['unknown key', on('upstream', { relist: 1 }), ['error: unknown key "relist"']],
    [
      'switched off',
      { plugins: { upstream: false }, aggregator: { servicePrefx: 'x' } },
      ['error: unknown key "servicePrefx"'],
    ],
  ],
};

function server(more: JsonObject): JsonObject {
  return { aggregator: { oauth: { server: { ...SERVER, ...more } } } };
}
function client(mcpClient: JsonObject): JsonObject {
  return { aggregator: { oauth: { mcpClient } } };
}
function admin(pages: JsonObject): JsonObject {
  return { aggregator: { admin: pages } };
}
function on(name: string, config: JsonObject): JsonObject {
  return { plugins: { [name]: { config } } };
}
function off(name: string, config: JsonObject): JsonObject {
  return { ...on(name, config), aggregator: { enabled: false } };
}
function kubernetes(config: JsonObject): JsonObject {
  return on('store-kubernetes', config);
}
function silent(name: string): string {
  return `warning: plugin ${name} is configured, but it does not run with these settings`;
}
function unread(name: string): string {
  return `error: plugins.${name}.config is not read: its keys are elsewhere in config.yaml`;
}

async function checked(config: JsonObject): Promise<readonly string[]> {
  const files = { 'config.yaml': stringify(config), 'secret.txt': 'S\n' };
  const { pipeline } = await composeGateway({ files, builtIns: 'all' });
  const issues = await pipeline.check();
  return issues.map(({ severity, message }) => `${severity}: ${message.replace(/^plugin [a-z-]+: /, '')}`);
}

describe('sections of plugins', () => {
  it('have a row here for each plugin that selects its own', async () => {
    const plugins = await Promise.all((await builtInNames()).map(loadBuiltIn));
    const selecting = plugins.filter((one) => 'select' in one).map(({ name }) => name);
    expect(Object.keys(SLIPS)).to.have.members(selecting);
  });

  for (const [name, slips] of Object.entries(SLIPS))
    for (const [slip, config, told] of slips)
      it(`of ${name}: ${slip}`, async () => {
        const said = await checked(config);
        expect(said, said.join('\n')).to.have.length(told.length);
        told.forEach((beginning, at) =>
          expect(said[at]).to.satisfy((text: string) => text.startsWith(beginning)),
        );
      });
});
