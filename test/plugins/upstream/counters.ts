import { eventually, startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { defer } from '../../support/cleanup.ts';
import { moduleOf } from '../../support/gateway.ts';
import { identify } from '../../support/identify.ts';
import { processesBelow, processesNaming } from '../../support/proc.ts';
import { programAt } from '../../support/programs.ts';
import { post, statelessCall } from '../../support/stateless.ts';
import { TalkingClient, toldIn } from '../../support/talkingClient.ts';
import type { Heard } from '../../support/talkingClient.ts';

const COUNTER = programAt('test/plugins/upstream/fixtures/counter.mjs');
export const ASKABLE = { elicitation: {}, roots: {} };

export interface Count {
  readonly count: number;
  readonly pid: number;
}

interface CountersOptions {
  /** Whether requests name their caller. */
  readonly isIdentified?: boolean;
  /** Default: a new one, removed at the end. */
  readonly directory?: string;
  /** Whether to wait for the server; default true. */
  readonly isConnected?: boolean;
  /** `plugins.upstream.config` */
  readonly config?: object;
}

/** @param more of the definition */
export function counterDefinition(more: object): string {
  const command = [process.execPath, ...COUNTER];
  return JSON.stringify({ type: 'stdio', autoStart: true, command, ...more });
}

/** A gateway with a server that counts for its connection. */
export class Counters {
  readonly gateway: TestGateway;

  constructor(gateway: TestGateway) {
    this.gateway = gateway;
  }

  /** A gateway with the server `counter`, connected. @param definition more of it */
  static async start(
    definition: object,
    { isIdentified = false, directory, isConnected = true, config = {} }: CountersOptions = {},
  ): Promise<Counters> {
    const gateway = await startGateway({
      ...(directory !== undefined && { directory }),
      files: {
        'config.yaml': JSON.stringify({
          plugins: {
            upstream: { config },
            ...(isIdentified && { 'test-identify': { module: './identify.mjs' } }),
          },
        }),
        'identify.mjs': moduleOf(identify),
        'mcpservers/counter.yaml': counterDefinition(definition),
      },
    });
    defer(() => gateway.stop());
    const isUp = (): boolean => gateway.log.some(({ text }) => text === 'server connected');
    if (isConnected) await eventually(isUp, 'counter', 10_000);
    return new Counters(gateway);
  }

  /** @param caller issuer and subject */
  async connect(capabilities: object = {}, caller?: string): Promise<TalkingClient> {
    const headers = caller === undefined ? {} : { 'x-caller': caller };
    const client = await TalkingClient.connect(this.gateway.url(), capabilities, headers);
    defer(() => client.leave());
    return client;
  }
}

/** Process ids of the counters whose gateways are in this process. */
export function counterProcesses(): readonly number[] {
  const own = new Set(processesBelow(process.pid));
  return processesNaming('counter.mjs').filter((pid) => own.has(pid));
}

export function count(client: TalkingClient): Promise<Count> {
  return client.told('x_counter_count') as Promise<Count>;
}

/** The count that a client without session and handle is told. */
export async function countShared({ gateway }: Counters): Promise<Count> {
  const call = statelessCall('call_tool', { name: 'x_counter_count', arguments: {} });
  return toldIn((await post(gateway.url(), call)).json() as Heard) as Count;
}

/** Answers questions with the name. */
export function named(client: TalkingClient, name: string): TalkingClient {
  client.onAsked = ({ method }) =>
    method === 'roots/list'
      ? `"result":{"roots":[{"uri":"file:///${name}"}]}`
      : `"result":{"action":"accept","content":{"name":${JSON.stringify(name)}}}`;
  return client;
}
