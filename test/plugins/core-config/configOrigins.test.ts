import { expect } from 'chai';
import { ConfigOrigins } from '../../../plugins/contracts/settings.ts';
import type { ConfigValue } from '../../../plugins/contracts/settings.ts';
import { askCore } from '../../support/coreTools.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';

const CONFIG = `aggregator:
  host: 127.0.0.1
  port: 4711
plugins:
  idempotency:
    config:
      maxKeys: 7
toolsetPresets:
  mine: { allow: [one, two], token: hunter2hunter2 }
`;

describe('plugins/core-config: origins', () => {
  let gateway: Gateway;
  const boot = async (aggregator = {}): Promise<void> => {
    gateway = await bootGateway({
      builtIns: ['core-config', 'settings-file', 'store-file', 'idempotency', 'metatools', 'admin'],
      files: { 'config.yaml': CONFIG },
      aggregator,
    });
  };
  const value = async (key: string): Promise<ConfigValue | undefined> => {
    const values = await (gateway.kernel.registry.get(ConfigOrigins.id) as ConfigOrigins).read();
    return values.find(({ path }) => path.join('.') === key);
  };

  it('tell values of config.yaml by their place from defaults and flags', async () => {
    await boot({ port: 0 });
    expect(await value('aggregator.host')).deep.include({ value: '127.0.0.1', source: 'file' });
    expect((await value('aggregator.host'))?.place).include({ line: 2, column: 3 });
    expect((await value('aggregator.host'))?.place?.file).match(/config\.yaml$/);
    expect(await value('aggregator.servicePrefix')).deep.equal({
      path: ['aggregator', 'servicePrefix'],
      value: 'x',
      source: 'default',
    });
    expect(await value('aggregator.port')).deep.include({ value: 0, source: 'other' });
    expect((await value('aggregator.port'))?.place).include({ line: 3 });
  });

  it('include the defaults of plugins, in their sections and below plugins', async () => {
    await boot();
    expect(await value('aggregator.admin.port')).deep.include({ value: 9999, source: 'default' });
    expect(await value('plugins.core-config.config.answerWithinMs')).deep.include({
      value: 1000,
      source: 'default',
    });
    expect(await value('plugins.metatools.config.headChars')).include({ source: 'default' });
    expect(await value('plugins.metatools.config.resultBudget')).equal(undefined);
    expect(await value('plugins.http')).deep.include({ value: false });
  });

  it('tell unsaved changes, until they are saved', async () => {
    await boot();
    await askCore(gateway, 'core_config_update_aggregator', { aggregator: { ServicePrefix: 'y' } });
    expect(await value('aggregator.servicePrefix')).deep.include({ value: 'y', source: 'unsaved' });
    await askCore(gateway, 'core_config_save');
    expect(await value('aggregator.servicePrefix')).deep.include({ value: 'y', source: 'file' });
  });

  it('tell what was edited in config.yaml and is not applied', async () => {
    await boot();
    gateway.directory.replace('config.yaml', CONFIG.replace('127.0.0.1', '127.0.0.2'));
    expect(await value('aggregator.host')).deep.include({ value: '127.0.0.1', source: 'other' });
    gateway.directory.replace('config.yaml', '{');
    expect(await value('aggregator.host')).deep.include({ value: '127.0.0.1', source: 'other' });
  });

  it('hide secrets as core_config_get does, and show lists as one value', async () => {
    await boot();
    expect(await value('toolsetPresets.mine.allow')).deep.include({ value: ['one', 'two'] });
    expect((await value('toolsetPresets.mine.token'))?.value).equal('[redacted]');
    expect((await value('plugins.idempotency.config.maxKeys'))?.value).equal(7);
    expect((await value('plugins.idempotency.config.busyRetrySeconds'))?.source).equal('default');
  });
});
