import { expect } from 'chai';
import { defaultSettings } from '../../../../kernel/config/settings.ts';
import type { Settings } from '../../../../kernel/index.ts';
import { Command, definePlugin } from '../../../../kernel/index.ts';
import type { Plugin } from '../../../../kernel/index.ts';
import { loadBuiltIn } from '../../../../kernel/loader.ts';
import { whyOff } from '../../../../plugins/cli/graph/whyOff.ts';

const settings = (more: Partial<Settings> = {}): Settings => ({ ...defaultSettings(), ...more });
const withRule = (enabled: NonNullable<Plugin['enabled']>): Plugin =>
  definePlugin({ name: 'acme', api: 1, configSchema: {}, apply: () => undefined, enabled });

describe('whyOff', () => {
  it('names the line of config.yaml that switches a plugin off', async () => {
    expect(whyOff(await loadBuiltIn('metrics'), settings({ plugins: { metrics: false } }), {})).deep.equal({
      why: 'plugins.metrics is false',
      keys: ['plugins.metrics'],
    });
  });

  it('names the keys and variables that the rule of a built-in plugin reads', async () => {
    const why = async (name: string): Promise<string> => whyOff(await loadBuiltIn(name), settings(), {}).why;
    expect(await why('access')).equal('access is not set');
    expect(await why('admin')).equal('aggregator.admin.enabled is not set');
    expect(await why('audit')).equal('plugins.audit is not set');
    expect(await why('store-kubernetes')).equal('orchestrator is false');
    expect(await why('transport-stdio')).equal(
      'aggregator.enabled is true; aggregator.transport is streamable-http',
    );
    expect(await why('metrics')).equal(
      'plugins.metrics, $OTEL_METRICS_EXPORTER, $OTEL_SDK_DISABLED are not set',
    );
    expect(await why('cli')).equal('its verbs run on the command line');
  });

  it('shows no value of a variable, and none that may be a secret', () => {
    const rule = withRule(({ acme }, { ACME_MODE }) => (acme as { apiKey: string }).apiKey === ACME_MODE);
    const given = settings({ acme: { apiKey: 'sk-12345678' } });
    expect(whyOff(rule, given, { ACME_MODE: 'quiet' })).deep.equal({
      why: '$ACME_MODE, acme.apiKey are set',
      keys: ['$ACME_MODE', 'acme.apiKey'],
    });
  });

  it('reads settings that are frozen', () => {
    const rule = withRule(({ aggregator }) => aggregator.logLevel === 'debug');
    const frozen = settings();
    Object.freeze(frozen.aggregator);
    expect(whyOff(rule, Object.freeze(frozen), {}).why).equal('aggregator.logLevel is info');
  });

  it('names the key that has the last word for a rule that reads nothing', () => {
    expect(
      whyOff(
        withRule(() => false),
        settings(),
        {},
      ),
    ).deep.equal({
      why: 'its rule needs plugins.acme: true',
      keys: [],
    });
    const verbs = { ...withRule(() => false), provides: [Command] };
    expect(whyOff(verbs, settings(), {}).why).equal('its verbs run on the command line');
  });
});
