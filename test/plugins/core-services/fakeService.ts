import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { ServiceSource } from '../../../plugins/contracts/services.ts';
import type { ManagedService, ServiceRecord } from '../../../plugins/contracts/services.ts';
import { definePlugin } from '../../../kernel/contracts/plugin.ts';
import { isGatewayError } from '../../../kernel/errors.ts';
import { askCore } from '../../support/coreTools.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';

interface Fake {
  readonly service: ManagedService;
  readonly heard: string[];
}

/** @param after resulting state of each operation */
export function fakeService(name: string, state: string, after: Readonly<Record<string, string>> = {}): Fake {
  let record: ServiceRecord = {
    name,
    service_type: 'MCPServer',
    state,
    health: 'unknown',
    metadata: { autoStart: false },
  };
  const heard: string[] = [];
  const operation = (word: string) => (): Promise<void> => {
    heard.push(word);
    const next = after[word] ?? state;
    record = { ...record, state: next, ...(next === 'failed' && { error: 'spawn ENOENT' }) };
    return Promise.resolve();
  };
  const service: ManagedService = {
    name,
    status: () => record,
    start: operation('start'),
    stop: operation('stop'),
    restart: operation('restart'),
  };
  return { service, heard };
}

/** A gateway whose services are these and its own. */
export function boot(services: readonly ManagedService[] = []): Promise<Gateway> {
  const upstream = definePlugin({
    name: 'fake-upstream',
    api: 1,
    configSchema: { type: 'object' },
    provides: [ServiceSource],
    apply: (scope) => scope.provide(ServiceSource, { services: () => services }),
  });
  const files = {
    'config.yaml': 'aggregator: { port: 4711 }\nplugins: { fake-upstream: { module: ./fake.mjs } }\n',
    'fake.mjs': moduleOf(upstream),
  };
  return bootGateway({ builtIns: ['core-services'], files });
}
/** The code and the message of the refusal of a core tool. */
export async function refusal(gateway: Gateway, name: string, args: JsonObject): Promise<string> {
  const error: unknown = await askCore(gateway, name, args).catch((reason: unknown) => reason);
  if (!isGatewayError(error)) throw new Error(`${name} was not refused: ${JSON.stringify(error)}`);
  return `${error.code} ${error.message}`;
}
