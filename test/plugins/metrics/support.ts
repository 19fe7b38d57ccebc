import type { GatewayOptions, Gateway } from '../../support/gateway.ts';
import { bootGateway } from '../../support/gateway.ts';
import { defer } from '../../support/cleanup.ts';

const OWN = /^OTEL_/;

/** A gateway with the exporters that `env` names, which they read from the environment of the process. */
export async function gatewayWith(
  env: Readonly<Record<string, string>>,
  options: Omit<GatewayOptions, 'env'> = {},
): Promise<Gateway> {
  const before = { ...process.env };
  for (const name of Object.keys(process.env)) if (OWN.test(name)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  defer(() => {
    for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
  });
  return bootGateway({ ...options, env });
}

/** A gateway that serves /metrics on a free port. */
export async function scrapedGateway(options: Omit<GatewayOptions, 'env'> = {}): Promise<{
  readonly gateway: Gateway;
  readonly scrape: () => Promise<string>;
}> {
  const env = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: '0' };
  const gateway = await gatewayWith(env, options);
  const { data } = await gateway.log.heard('metrics are served');
  return { gateway, scrape: async () => (await fetch(String(data['url']))).text() };
}

/** Lines with a value. */
export function seriesIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
