import type { JsonObject } from '../../kernel/index.ts';
import { makeDirectory } from '../support/directory.ts';
import { EVERYTHING, freePort } from '../support/everything.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import type { Client } from './clients.ts';
import { Home } from './home.ts';
import { startModelApi } from './modelApi.ts';
import type { ModelApi, Step } from './modelApi.ts';
import { connectingLine, permissionOf } from './readmeLines.ts';

const ECHO = 'x_everything_echo';

export interface Leg {
  readonly title: string;
  /** @returns the observation @throws Error that names the difference */
  readonly run: (client: Client) => Promise<string>;
}

/** The README's lines, then filter, describe, call, restart of the gateway, call. */
const loop: Leg = {
  title: 'connects by the README, finds, describes and calls a tool, and calls it again after a restart',
  run: async (client) => {
    const gateway = await Gateway.start();
    const script = [
      step('filter_tools', { query: 'echo a message back' }),
      step('describe_tool', { name: ECHO }),
      callOf(ECHO, { message: 'before' }),
      { ...callOf(ECHO, { message: 'after' }), before: () => gateway.restart() },
    ];
    const { api, output } = await play(client, script, gateway.url, { isPermitted: true });
    expectIn(api.results, ['"x_everything_echo', 'inputSchema', 'Echo: before', 'Echo: after'], output);
    const names = api.first.map(({ name }) => name);
    if (names.length !== client.offered)
      throw new Error(
        `the first request offers ${names.length} of our tools, not ${client.offered}: ${names.join(' ')}`,
      );
    const bare = api.first.filter(({ entry }) => !JSON.stringify(entry).includes('"properties"'));
    if (bare.length > 0) throw new Error(`${bare[0]?.name ?? ''} is offered without its schema`);
    const bytes = Buffer.byteLength(JSON.stringify(api.first.map(({ entry }) => entry)));
    return `${names.length} of our tools in its first request, ${bytes} bytes`;
  },
};

/** Reaction of a client to a destructive tool, without settings. */
const unasked: Leg = {
  title: 'does not run call_tool without permission',
  run: async (client) => {
    const gateway = await Gateway.start();
    const { api, output } = await play(client, [callOf(ECHO, { message: 'unasked' })], gateway.url);
    const said = api.results[0] ?? output;
    if (!said.includes(client.refusal))
      throw new Error(`expected the refusal "${client.refusal}", got ${said}`);
    return client.refusal;
  },
};

const reading: Leg = {
  title: 'runs read-only tools at /mcp/t/read-only without permission, and no others',
  run: async (client) => {
    const gateway = await Gateway.start();
    const script = [
      callOf(ECHO, { message: 'read' }),
      callOf('x_everything_toggle-simulated-logging', {}),
      callOf('core_service_stop', { name: 'everything' }),
    ];
    const { api, output } = await play(client, script, gateway.url, { path: '/t/read-only' });
    const outside = 'is outside the toolset';
    expectIn(api.results, ['Echo: read', outside, outside], output);
    return 'read-only calls run, others are refused';
  },
};

/** For either revision, whether or not the client offers get_result before a search. */
const large: Leg = {
  title: 'pages through a result over the budget',
  run: async (client) => {
    const gateway = await Gateway.start('aggregator: { resultBudget: 1000 }\n');
    const message = `${'x'.repeat(5_000)} the end`;
    const isDeferred = client.offered < 13;
    const script = [
      ...(isDeferred ? [step('ToolSearch', { query: 'select:mcp__pegboard__get_result' })] : []),
      callOf(ECHO, { message }),
      { tool: 'get_result', args: (last: string) => ({ handle: handleIn(last), offset: 4_000 }) },
    ];
    const { api, output } = await play(client, script, gateway.url, { isPermitted: true });
    expectIn(api.results.slice(-1), ['the end'], output);
    return 'to its end';
  },
};

function handleIn(result: string): string {
  return /get_result \{[\\" ]*handle[\\" :]*([\w.-]+)/.exec(result)?.[1] ?? 'none';
}

export function legsOf({ trustsReading }: Client): readonly Leg[] {
  return [loop, unasked, large, ...(trustsReading ? [reading] : [])];
}

function step(tool: string, args: JsonObject): Step {
  return { tool, args };
}
function callOf(name: string, args: JsonObject): Step {
  return step('call_tool', { name, arguments: args });
}

interface PlayOptions {
  /** Lets it run tools without asking, by the README's lines. */
  readonly isPermitted?: boolean;
  /** Path after `/mcp`. */
  readonly path?: string;
}

/** One run of a client in a new home folder, whose model follows the script. */
async function play(
  client: Client,
  script: readonly Step[],
  url: string,
  { isPermitted = false, path = '' }: PlayOptions = {},
): Promise<{ readonly api: ModelApi; readonly output: string }> {
  const home = new Home(client);
  const api = await startModelApi(script, ({ name, namespace = '' }) => /pegboard/.test(namespace + name));
  const env = client.env(api.url);
  try {
    let line = connectingLine(client.name, url).replace('/mcp', `/mcp${path}`);
    const permission = isPermitted ? permissionOf(client.name) : undefined;
    if (permission !== undefined && 'flag' in permission) line = `${line} ${permission.flag}`;
    const added = await home.type(line, env);
    if (added.code !== 0) throw new Error(`${line} failed:\n${added.text}`);
    if (permission !== undefined && 'file' in permission) home.append(permission.file, permission.lines);
    const { text } = await home.run(client.ask(api.url), env);
    return { api, output: text };
  } finally {
    await api.close();
    home.remove();
  }
}

/** Expects one result per text, containing it. @throws Error with the client's output */
function expectIn(results: readonly string[], texts: readonly string[], output: string): void {
  const missing = texts.findIndex((text, at) => results[at]?.includes(text) !== true);
  if (missing < 0) return;
  const got = results[missing] ?? 'nothing; the client ended';
  throw new Error(`result ${missing + 1} lacks "${texts[missing] ?? ''}", it is ${got}\n${output}`);
}

/** A gateway in a process of its own with one real server; after a restart it has the same address. */
class Gateway {
  readonly url: string;
  readonly #start: () => Promise<Pegboard>;
  #running: Pegboard;

  private constructor(url: string, start: () => Promise<Pegboard>, running: Pegboard) {
    this.url = url;
    this.#start = start;
    this.#running = running;
  }

  /** @param config text of config.yaml */
  static async start(config = ''): Promise<Gateway> {
    const everything = { type: 'stdio', command: [process.execPath, EVERYTHING, 'stdio'], autoStart: true };
    const directory = makeDirectory({
      'config.yaml': config,
      'mcpservers/everything.yaml': JSON.stringify(everything),
    });
    const port = await freePort();
    const start = async (): Promise<Pegboard> => {
      const pegboard = await servePegboard(directory.path, ['--port', String(port)]);
      await pegboard.logged('server connected');
      return pegboard;
    };
    return new Gateway(`http://localhost:${port}`, start, await start());
  }

  async restart(): Promise<void> {
    await this.#running.stop();
    this.#running = await this.#start();
  }
}
