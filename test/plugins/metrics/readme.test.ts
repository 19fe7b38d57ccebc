import { expect } from 'chai';
import type { HistogramSample, Metric, Sample } from '../../../plugins/contracts/metrics.ts';
import { RedisChannel } from '../../../plugins/vault-redis/redisChannel.ts';
import { codeIn, tableBelow } from '../../schemas/markdown.ts';
import type { Gateway } from '../../support/gateway.ts';
import { simulatedApi } from '../../support/kube/simulatedApi.ts';
import { metricsOf } from '../../support/metrics.ts';
import { textOf } from '../../support/sources.ts';
import { gatewayWith } from './support.ts';

/** Plugins that need a partner, or take the place of another one. */
const AWAY = ['vault-redis', 'vault-memory', 'transport-stdio'];
const NO_PARTNER = 'http://127.0.0.1:1';

/** A gateway of a cluster, with the plugins alone that run nowhere else. */
async function gatewayOfCluster(): Promise<Gateway> {
  const api = await simulatedApi(() => true);
  const KUBECONFIG = api.kubeconfig(api.certificateOf('service'), 'tools');
  const files = { 'config.yaml': JSON.stringify({ orchestrator: true, namespace: 'tools' }) };
  return gatewayWith({ KUBECONFIG }, { builtIns: ['store-kubernetes', 'core-mcpservers'], files });
}

describe("the README's table of metrics", () => {
  const rows = tableBelow(textOf('plugins/metrics/README.md'), 'Metrics').map(
    ([name = '', kind = '', unit = '', labels = '', meaning = '']) => ({
      name: codeIn(name)[0] ?? '',
      kind,
      unit: codeIn(unit)[0] ?? '',
      labels: codeIn(labels),
      meaning,
    }),
  );
  let metrics: readonly Metric[];

  before(async () => {
    const idp = { issuerUrl: NO_PARTNER, clientId: 'pegboard', clientSecretFile: 'secret.txt' };
    const server = { enabled: true, baseUrl: 'http://localhost:8090', idp };
    const oauth = { mcpClient: { enabled: true }, server };
    const off = Object.fromEntries(AWAY.map((name) => [name, false]));
    const limits = { config: { perCaller: { concurrent: 9 } } };
    const config = { url: NO_PARTNER, model: 'm', allowPrivateIP: true };
    const settings = {
      aggregator: { port: 0, oauth },
      plugins: { ...off, metrics: true, limits, 'search-semantic': { config } },
    };
    const files = { 'config.yaml': JSON.stringify(settings), 'secret.txt': 'S\n', 'state/.keep': '' };
    const gateway = await gatewayWith({ OTEL_METRICS_EXPORTER: 'none' }, { builtIns: 'all', files });
    const channel = new RedisChannel({} as ConstructorParameters<typeof RedisChannel>[0]);
    metrics = [...metricsOf(gateway), ...channel.metrics, ...metricsOf(await gatewayOfCluster())];
  });

  it('has every metric of every built-in plugin with its kind, unit and meaning, and no other', () => {
    const expected = metrics.map(({ name, kind, unit, description }) => ({
      name,
      kind,
      unit,
      meaning: description,
    }));
    const shown = rows.map(({ name, kind, unit, meaning }) => ({ name, kind, unit, meaning }));
    expect(shown).deep.equal(expected.sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  it('has the labels of every value', () => {
    for (const metric of metrics)
      for (const { labels = {} } of metric.read() as Iterable<Sample | HistogramSample>)
        expect(rows.find((row) => row.name === metric.name)?.labels, metric.name).deep.equal(
          Object.keys(labels),
        );
  });
});
