import { startGateway } from '../../contract/index.ts';
import type { GatewayOptions, TestGateway } from '../../contract/index.ts';
import { callBody, initialize, postMcp } from '../../support/edge.ts';
import { eventually } from '../../contract/index.ts';
import { otlpReceiver } from '../../support/otlpReceiver.ts';
import type { ReceivedSpan, OtlpReceiver } from '../../support/otlpReceiver.ts';

type Variables = Readonly<Record<string, string>>;

export interface Traced {
  readonly gateway: TestGateway;
  readonly receiver: OtlpReceiver;
  /** Sends a request. @returns its answer as text */
  ask(method: string, params: object, headers?: object): Promise<string>;
  /** Calls a tool through call_tool. */
  call(name: string, args?: object, meta?: object): Promise<string>;
  /** The spans received, once there are as many. */
  spans(count: number): Promise<readonly ReceivedSpan[]>;
  stop(): Promise<void>;
}

/** A gateway that exports traces to a collector of its own. */
export async function startTraced(options: GatewayOptions, variables: Variables = {}): Promise<Traced> {
  const receiver = await otlpReceiver();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    ...variables,
  };
  const restore = setVariables(env);
  const gateway = await startGateway({ ...options, env }).finally(restore);
  const handle = await initialize(gateway.url());
  let id = 1;
  const ask = async (method: string, params: object, headers: object = {}): Promise<string> => {
    const body = { jsonrpc: '2.0', id: (id += 1), method, params };
    return (await postMcp(gateway.url(), body, { 'mcp-session-id': handle, ...headers })).text;
  };
  const { params: shape } = callBody('call_tool', {}) as { readonly params: object };
  return {
    gateway,
    receiver,
    ask,
    call: (name, args = {}, _meta = {}) =>
      ask('tools/call', { ...shape, arguments: { name, arguments: args }, _meta }),
    spans: async (count) => {
      await eventually(() => receiver.spans.length >= count, `${count} spans`, 10_000);
      return receiver.spans;
    },
    stop: async () => {
      await gateway.stop();
      await receiver.close();
    },
  };
}

/** @returns the function that restores the former values */
export function setVariables(variables: Variables): () => void {
  const former = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of former)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  };
}
