/** What metrics cost a call, in this process: the same calls through a gateway with the plugin and through one without. */
import { textResult } from '../../kernel/index.ts';
import { runEnds } from '../support/cleanup.ts';
import { toolsPlugin } from '../support/edge.ts';
import { bootGateway, moduleOf } from '../support/gateway.ts';
import type { Gateway } from '../support/gateway.ts';
import { toolOf } from '../support/kernel.ts';
import { requestOf } from '../support/requests.ts';
import { median } from './median.ts';

const WARM_UP_CALLS = 20_000;
const CALLS = 50_000;
const ROUNDS = 9;
const TOOL = 'x_up_echo';
const EXPORTER = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: '0' };

export interface MetricsCost {
  /** µs of CPU per call. */
  readonly withMetrics: number;
  readonly without: number;
}

/** Rounds of both alternate, so that a change of the machine's speed meets both. */
export async function measureMetrics(): Promise<MetricsCost> {
  // The exporters read the environment of the process.
  Object.assign(process.env, EXPORTER);
  try {
    const [measured, plain] = [await gatewayWith(EXPORTER), await gatewayWith({})];
    for (const gateway of [measured, plain]) await cpuUsPerCall(gateway, WARM_UP_CALLS);
    const costs = { withMetrics: [] as number[], without: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      costs.withMetrics.push(await cpuUsPerCall(measured, CALLS));
      costs.without.push(await cpuUsPerCall(plain, CALLS));
    }
    return { withMetrics: median(costs.withMetrics), without: median(costs.without) };
  } finally {
    for (const name of Object.keys(EXPORTER)) Reflect.deleteProperty(process.env, name);
    await runEnds();
  }
}

/** @throws Error if the plugin does not run where it should, or runs where it should not */
async function gatewayWith(env: Readonly<Record<string, string>>): Promise<Gateway> {
  const tool = toolOf(TOOL, { server: 'up', invoke: () => textResult('done') });
  const gateway = await bootGateway({
    env,
    builtIns: ['metatools', 'metrics'],
    files: {
      'config.yaml': JSON.stringify({ plugins: { tools: { module: './tools.mjs' } } }),
      'tools.mjs': moduleOf(toolsPlugin('tools', [tool])),
    },
  });
  const isRunning = gateway.kernel.running.some(({ plugin }) => plugin.name === 'metrics');
  if (isRunning !== 'OTEL_METRICS_EXPORTER' in env) throw new Error('metrics run in the wrong gateway');
  return gateway;
}

async function cpuUsPerCall({ kernel }: Gateway, calls: number): Promise<number> {
  const request = requestOf();
  const begun = process.cpuUsage();
  for (let call = 0; call < calls; call += 1)
    await kernel.calls.call('call_tool', { name: TOOL, arguments: {} }, request);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / calls;
}
