import type { Agent, Client, Program } from './clients.ts';
import { Gateway } from './gateway.ts';
import { callOf, expectIn, expectOffered, play, step } from './play.ts';
import { connecting } from './readmeLines.ts';

const ECHO = 'x_everything_echo';

export interface Leg<P extends Program> {
  readonly title: string;
  /** @returns the observation @throws Error that names the difference */
  readonly run: (program: P) => Promise<string>;
}

/** The README's lines, then filter, describe, call, restart of the gateway, call. */
const loop: Leg<Agent> = {
  title: 'connects by the README, finds, describes and calls a tool, and calls it again after a restart',
  run: async (client) => {
    const gateway = await Gateway.start();
    const restart = async (): Promise<void> => {
      await gateway.restart();
      // It drops all tools until it is connected again, and a model without tools ends the run.
      if (client.isThrownByRestart === true) await gateway.reached();
    };
    const script = [
      step('filter_tools', { query: 'echo a message back' }),
      step('describe_tool', { name: ECHO }),
      callOf(ECHO, { message: 'before' }),
      { ...callOf(ECHO, { message: 'after' }), before: restart },
      callOf(ECHO, { message: 'again' }),
    ];
    const { api, output } = await play(client, script, {
      connect: connecting(client.name, gateway.url),
      isPermitted: true,
    });
    const offered = expectOffered(client, api, output);
    const after = client.isThrownByRestart === true ? '' : 'Echo: after';
    const expected = ['"x_everything_echo', 'inputSchema', 'Echo: before', after, 'Echo: again'];
    expectIn(api.results, expected, output);
    return offered;
  },
};

/** Reaction of a client to a destructive tool, without settings. */
const unasked: Leg<Agent> = {
  title: 'does not run call_tool without permission',
  run: async (client) => {
    const gateway = await Gateway.start();
    const { api, output } = await play(client, [callOf(ECHO, { message: 'unasked' })], {
      connect: connecting(client.name, gateway.url),
    });
    const said = api.results[0] ?? output;
    const { refusal = '' } = client;
    if (!said.includes(refusal)) throw new Error(`expected the refusal "${refusal}", got ${said}`);
    return refusal;
  },
};

const reading: Leg<Agent> = {
  title: 'runs read-only tools at /mcp/t/read-only without permission, and no others',
  run: async (client) => {
    const gateway = await Gateway.start();
    const script = [
      callOf(ECHO, { message: 'read' }),
      callOf('x_everything_toggle-simulated-logging', {}),
      callOf('core_service_stop', { name: 'everything' }),
    ];
    const { api, output } = await play(client, script, {
      connect: connecting(client.name, gateway.url, '/t/read-only'),
    });
    const outside = 'is outside the toolset';
    expectIn(api.results, ['Echo: read', outside, outside], output);
    return 'read-only calls run, others are refused';
  },
};

/** A leg for each revision, whether or not the client offers get_result before a search. */
const large: Leg<Client> = {
  title: 'pages through a result over the budget',
  run: async (client) => {
    const gateway = await Gateway.start({ config: 'aggregator: { resultBudget: 1000 }\n' });
    const message = `${'x'.repeat(5_000)} the end`;
    const isDeferred = client.offered < 13;
    const script = [
      ...(isDeferred ? [step('ToolSearch', { query: 'select:mcp__pegboard__get_result' })] : []),
      callOf(ECHO, { message }),
      { tool: 'get_result', args: (last: string) => ({ handle: handleIn(last), offset: 4_000 }) },
    ];
    const { api, output } = await play(client, script, {
      connect: connecting(client.name, gateway.url),
      isPermitted: true,
    });
    expectIn(api.results.slice(-1), ['the end'], output);
    return 'to its end';
  },
};

/** Not for other clients, which have no such files. */
const saving: Leg<Client> = {
  title: 'saves a text of 300 KB to a file, where its model finds the last line with one call',
  run: async (client) => {
    const gateway = await Gateway.start();
    const lines = Array.from({ length: 4_000 }, (_, at) => `line ${at} ${'x'.repeat(65)}`);
    const script = [
      callOf(ECHO, { message: [...lines, 'the end'].join('\n') }),
      { tool: 'Read', args: (last: string) => ({ file_path: fileIn(last), offset: 4_001, limit: 1 }) },
    ];
    const { api, output } = await play(client, script, {
      connect: connecting(client.name, gateway.url),
      isPermitted: true,
    });
    expectIn(api.results, ['tool-results', 'the end'], output);
    return `in ${api.results.join('').length} characters of results`;
  },
};

function fileIn(result: string): string {
  return /\/[^\s"\\]*\/tool-results\/[^\s"\\]+\.txt/.exec(result)?.[0] ?? 'none';
}

function handleIn(result: string): string {
  return /get_result \{[\\" ]*handle[\\" :]*([\w.-]+)/.exec(result)?.[1] ?? 'none';
}

/** The legs that every agent takes, except for what it never asks. */
export function shortLegsOf({ refusal, trustsReading = false }: Agent): readonly Leg<Agent>[] {
  return [loop, ...(refusal === undefined ? [] : [unasked]), ...(trustsReading ? [reading] : [])];
}
export function legsOf(client: Client): readonly Leg<Client>[] {
  return [...shortLegsOf(client), large, ...(client.word === 'claude-code' ? [saving] : [])];
}
