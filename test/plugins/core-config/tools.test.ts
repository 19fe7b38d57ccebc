import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { definePlugin } from '../../../kernel/contracts/plugin.ts';
import { isGatewayError } from '../../../kernel/errors.ts';
import { answerIn, askCore, callCore } from '../../support/coreTools.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Files } from '../../support/directory.ts';
import type { Gateway } from '../../support/gateway.ts';
import { gate } from '../../support/until.ts';

const CONFIG = `# our gateway
aggregator:
  port: 4711 # agreed with the network people
  host: 127.0.0.1

# nothing else
namespace: default
`;

function boot(files: Files = {}): Promise<Gateway> {
  return bootGateway({ builtIns: ['core-config', 'settings-file', 'store-file', 'core-mcpservers'], files });
}
async function refusal(gateway: Gateway, name: string, args: JsonObject): Promise<string> {
  const error: unknown = await askCore(gateway, name, args).catch((reason: unknown) => reason);
  if (!isGatewayError(error)) throw new Error(`${name} was not refused: ${JSON.stringify(error)}`);
  return `${error.code} ${error.message}`;
}
function configOf({ directory }: Gateway): string {
  return readFileSync(directory.at('config.yaml'), 'utf8');
}
function update(gateway: Gateway, aggregator: JsonObject): Promise<JsonObject> {
  return askCore(gateway, 'core_config_update_aggregator', { aggregator });
}

describe('plugins/core-config: reading', () => {
  it('shows the whole configuration with capitalised keys and defaults', async () => {
    const answer = await askCore(await boot({ 'config.yaml': CONFIG }), 'core_config_get');
    expect(answer).to.include({ Namespace: 'default', Orchestrator: false });
    expect(answer['Aggregator']).to.include({
      Port: 4711,
      Host: '127.0.0.1',
      Transport: 'streamable-http',
      Enabled: true,
    });
    expect(answer['Aggregator']).to.include({ ServicePrefix: 'x', CallToolEnvelope: 'native' });
  });

  it('leaves user-defined names unchanged, and redacts secrets', async () => {
    const secrets = definePlugin({
      name: 'my-plugin',
      api: 1,
      configSchema: { type: 'object' },
      apply: () => undefined,
    });
    const config = [
      'plugins:',
      '  my-plugin:',
      '    module: ./mine.mjs',
      '    config:',
      '      apiKeys: [hunter2]',
      '      clientSecret: hunter2',
      '      clientSecretFile: /run/secret',
      '      token: ${env:TOKEN}',
      '      headers: { X-A: hunter2 }',
      '      url: redis://me:hunter2@localhost:6379/0',
      '      plain: shown',
    ].join('\n');
    const gateway = await boot({ 'config.yaml': config, 'mine.mjs': moduleOf(secrets) });
    const answer = await askCore(gateway, 'core_config_get');
    const plugins = answer['Plugins'] as Record<string, { Config: JsonObject }>;
    expect(plugins['my-plugin']?.Config).to.deep.equal({
      apiKeys: ['[redacted]'],
      clientSecret: '[redacted]',
      clientSecretFile: '/run/secret',
      token: '${env:TOKEN}',
      headers: { 'X-A': '[redacted]' },
      url: 'redis://[redacted]@localhost:6379/0',
      plain: 'shown',
    });
  });

  it('redacts what the schema of a plugin marks, and nothing else of it', async () => {
    const secret = { type: 'string', writeOnly: true };
    const hooks = definePlugin({
      name: 'hooks',
      api: 1,
      configSchema: {
        properties: {
          hooks: { type: 'array', items: secret },
          monkeys: { type: 'integer' },
          place: { $ref: '#/$defs/place' },
        },
        $defs: { place: { properties: { door: secret, street: { type: 'string' } } } },
      },
      apply: () => undefined,
    });
    const config = `plugins:
  hooks: { module: ./hooks.mjs, config: { hooks: [hunter2], monkeys: 3, place: { door: hunter2, street: Long } } }
aggregator: { oauth: { server: { enabled: false, idp: { clientId: me, clientSecret: hunter2 } } } }
`;
    const gateway = await boot({ 'config.yaml': config, 'hooks.mjs': moduleOf(hooks) });
    const answer = await askCore(gateway, 'core_config_get');
    const place = { door: '[redacted]', street: 'Long' };
    expect(answer['Plugins']).to.have.deep.nested.property('hooks.Config', {
      hooks: ['[redacted]'],
      monkeys: 3,
      place,
    });
    const idp = { clientId: 'me', clientSecret: '[redacted]' };
    expect(answer['Aggregator']).to.have.deep.nested.property('Oauth.Server.idp', idp);
  });

  it('shows the aggregator section alone', async () => {
    expect(await askCore(await boot({ 'config.yaml': CONFIG }), 'core_config_get_aggregator')).to.deep.equal({
      Port: 4711,
      Host: '127.0.0.1',
      Transport: 'streamable-http',
      Enabled: true,
      ServicePrefix: 'x',
    });
  });
});

describe('plugins/core-config: changing', () => {
  it('changes only the given keys, in memory, at once', async () => {
    const gateway = await boot({ 'config.yaml': CONFIG });
    expect(await update(gateway, { Port: 4712 })).to.include({ Port: 4712, Host: '127.0.0.1' });
    expect(await update(gateway, { ServicePrefix: 'y' })).to.include({ Port: 4712, ServicePrefix: 'y' });
    expect(gateway.pipeline.settings().aggregator).to.include({ port: 4712, servicePrefix: 'y' });
    expect(configOf(gateway)).to.equal(CONFIG);
  });

  it('refuses unknown keys and wrong types by name, and changes nothing', async () => {
    const gateway = await boot({ 'config.yaml': CONFIG });
    const refused = (aggregator: JsonObject): Promise<string> =>
      refusal(gateway, 'core_config_update_aggregator', { aggregator });
    expect(await refused({ Prot: 1 })).to.contain('unknown key "Prot"; did you mean "Port"?');
    expect(await refused({ Port: 70_000 })).to.contain(
      'aggregator.Port must be at most 65535 (maximum), not 70000',
    );
    expect(await refused({ Transport: 'carrier-pigeon' })).to.contain('aggregator.Transport must be one of');
    expect(await refusal(gateway, 'core_config_update_aggregator', {})).to.contain('aggregator is required');
    expect(gateway.pipeline.settings().aggregator.port).to.equal(4711);
  });

  it('lets a later edit of config.yaml win, key by key, and reports it', async () => {
    const gateway = await boot({ 'config.yaml': 'aggregator: { port: 4711, host: 127.0.0.1 }\n' });
    const inForce = () => gateway.pipeline.settings().aggregator;
    await update(gateway, { Port: 4712, ServicePrefix: 'y' });
    expect(inForce()).to.include({ port: 4712, servicePrefix: 'y' });
    gateway.directory.write('config.yaml', 'aggregator: { port: 4711, host: localhost }\n');
    await gateway.pipeline.reload();
    expect(inForce()).to.include({ port: 4712, host: 'localhost', servicePrefix: 'y' });
    expect(gateway.log.having('the file overrides it')).to.deep.equal([]);
    gateway.directory.write('config.yaml', 'aggregator: { port: 4713 }\n');
    await gateway.pipeline.reload();
    expect(inForce()).to.include({ port: 4713, servicePrefix: 'y' });
    expect(gateway.log.having('the file overrides it', 'warn').map(({ data }) => data['key'])).to.deep.equal([
      'port',
    ]);
    await update(gateway, { Port: 4714 });
    expect(inForce()).to.include({ port: 4714 });
    await askCore(gateway, 'core_config_save');
    expect(configOf(gateway)).to.contain('port: 4714').and.contain('servicePrefix: y');
  });

  it('closes the last endpoint only when confirmed, and config.yaml opens it again', async () => {
    const gateway = await boot({ 'config.yaml': 'aggregator: { port: 4711 }\n' });
    for (const aggregator of [{ Enabled: false }, { Transport: 'stdio' }, { Port: 1, Enabled: false }]) {
      const said = await refusal(gateway, 'core_config_update_aggregator', { aggregator });
      expect(said).to.match(/^TOOL_ARGUMENTS .* closes the endpoint .*"confirm": true beside aggregator/);
      expect(gateway.pipeline.settings().aggregator).to.include({ enabled: true, port: 4711 });
    }
    await askCore(gateway, 'core_config_update_aggregator', {
      aggregator: { Enabled: false },
      confirm: true,
    });
    expect(gateway.pipeline.settings().aggregator.enabled).to.equal(false);
    await update(gateway, { Enabled: false, Port: 4712 });
    gateway.directory.write('config.yaml', 'aggregator: { port: 4711, enabled: true }\n');
    await gateway.pipeline.reload();
    expect(gateway.pipeline.settings().aggregator).to.include({ enabled: true, port: 4712 });
  });

  it('reverts a change that the running plugins cannot apply', async () => {
    const picky = definePlugin({
      name: 'picky',
      api: 1,
      configSchema: { type: 'object' },
      check: (_, { aggregator }) => (aggregator.port === 666 ? [{ path: [], message: 'not that port' }] : []),
      apply: () => undefined,
    });
    const files = { 'config.yaml': 'plugins: { picky: { module: ./p.mjs } }\n', 'p.mjs': moduleOf(picky) };
    const gateway = await boot(files);
    expect(await refusal(gateway, 'core_config_update_aggregator', { aggregator: { Port: 666 } })).to.contain(
      'not that port',
    );
    expect((await gateway.pipeline.reload()).applied).to.equal(true);
    expect(gateway.pipeline.settings().aggregator.port).to.equal(8090);
  });

  it('answers before a listener that waits for this very call, and reports a later failure', async () => {
    const carried = gate();
    const listener = definePlugin<number>({
      name: 'listener',
      api: 1,
      configSchema: { type: 'integer' },
      select: ({ aggregator }) => aggregator.port,
      apply(scope) {
        scope.onStart(() => {
          if (scope.config === 666) throw new Error('the port is taken');
        });
        scope.onStop(() => carried.opened);
      },
    });
    const config =
      'plugins: { listener: { module: ./l.mjs }, core-config: { config: { answerWithinMs: 0 } } }\n';
    const gateway = await boot({ 'config.yaml': config, 'l.mjs': moduleOf(listener) });
    expect(await update(gateway, { Port: 4712 })).to.include({ Port: 4712, status: 'applying' });
    expect(await update(gateway, { Port: 666 })).to.include({ Port: 666, status: 'applying' });
    carried.open();
    await gateway.log.heard('configuration change failed after its answer');
    expect(gateway.pipeline.settings().aggregator.port).to.equal(4712);
  });

  it('saves with comments and order kept, once', async () => {
    const gateway = await boot({ 'config.yaml': CONFIG });
    await update(gateway, { Port: 4712, ServicePrefix: 'y' });
    const saved = await askCore(gateway, 'core_config_save');
    expect(saved).to.deep.equal({ status: 'saved', paths: [gateway.directory.at('config.yaml')] });
    expect(configOf(gateway)).to.equal(
      CONFIG.replace('4711', '4712').replace('host: 127.0.0.1\n', 'host: 127.0.0.1\n  servicePrefix: y\n'),
    );
    expect(await askCore(gateway, 'core_config_save')).to.deep.equal({ status: 'unchanged', paths: [] });
    expect((await gateway.pipeline.reload()).applied).to.equal(true);
    expect(gateway.pipeline.settings().aggregator).to.include({ port: 4712, servicePrefix: 'y' });
  });

  it('saves into a config.yaml that is missing or holds only comments', async () => {
    const missing = await boot();
    await update(missing, { Port: 4712 });
    await askCore(missing, 'core_config_save');
    const line = '# yaml-language-server: $schema=http://localhost:4712/schemas/config.schema.json\n';
    expect(configOf(missing)).to.equal(`${line}aggregator:\n  port: 4712\n`);
    const commented = await boot({ 'config.yaml': '# aggregator:\n#   port: 8090\n' });
    await update(commented, { Port: 4712 });
    await askCore(commented, 'core_config_save');
    expect(configOf(commented)).to.equal('# aggregator:\n#   port: 8090\n\naggregator:\n  port: 4712\n');
  });

  it('does not save over a config.yaml that is broken now, and keeps the change', async () => {
    const gateway = await boot({ 'config.yaml': CONFIG });
    await update(gateway, { Port: 4712 });
    gateway.directory.write('config.yaml', 'aggregator: [');
    expect(await refusal(gateway, 'core_config_save', {})).to.match(
      /CONFIG_UNREADABLE .*config\.yaml:1:\d+: .*repair it/,
    );
    expect(configOf(gateway)).to.equal('aggregator: [');
    gateway.directory.write('config.yaml', CONFIG);
    expect((await askCore(gateway, 'core_config_save'))['status']).to.equal('saved');
    expect(configOf(gateway)).to.contain('port: 4712 # agreed');
  });

  it('reloads from disk and discards unsaved changes', async () => {
    const gateway = await boot({ 'config.yaml': CONFIG });
    await update(gateway, { Port: 4712 });
    gateway.directory.write('mcpservers/a.yaml', 'type: stdio\ncommand: [a]\n');
    const answer = await askCore(gateway, 'core_config_reload');
    expect(answer).to.deep.include({ status: 'reloaded', errors: [], warnings: [] });
    expect(answer['diff']).to.deep.equal({ added: ['MCPServer/a'], changed: [], removed: [] });
    expect(gateway.pipeline.settings().aggregator.port).to.equal(4711);
  });

  it('answers errors with file, line and column; a rejected configuration is an error', async () => {
    const gateway = await boot({ 'config.yaml': CONFIG });
    gateway.directory.write('mcpservers/a.yaml', 'type: stdio\ncommand: [a]\ntimout: 3\n');
    const partly = await callCore(gateway, 'core_config_reload');
    expect(partly.isError).to.equal(undefined);
    expect(answerIn(partly)['errors']).to.deep.equal([
      `${gateway.directory.at('mcpservers/a.yaml')}:3:1: MCPServer a: unknown key "timout"; did you mean "timeout"?`,
    ]);
    gateway.directory.write('config.yaml', 'aggregator:\n  prot: 1\n');
    const rejected = await callCore(gateway, 'core_config_reload');
    expect(rejected.isError).to.equal(true);
    expect(answerIn(rejected)['status']).to.equal('rejected');
    expect(JSON.stringify(answerIn(rejected)['errors'])).to.contain('config.yaml:2:3: unknown key');
    expect(gateway.pipeline.settings().aggregator.port).to.equal(4711);
  });

  it('drops unsaved changes when it is switched off', async () => {
    const gateway = await boot();
    await update(gateway, { Port: 4712 });
    gateway.directory.write('config.yaml', 'plugins: { core-config: false }\n');
    await gateway.pipeline.reload();
    await gateway.pipeline.reload();
    expect(gateway.pipeline.settings().aggregator.port).to.equal(8090);
    expect(gateway.kernel.catalogue.shared('core_config_get')).to.equal(undefined);
    expect(existsSync(gateway.directory.at('config.yaml'))).to.equal(true);
  });
});
