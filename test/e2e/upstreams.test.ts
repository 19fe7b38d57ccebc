import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { EVERYTHING, startEverything } from '../support/everything.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { processesBelow } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';
import { hostile } from '../plugins/upstream/support.ts';

const SLOW = 20_000;
const stdioServer = JSON.stringify({
  type: 'stdio',
  command: [process.execPath, EVERYTHING, 'stdio'],
  autoStart: true,
});
/** Starts in a fifth of the time; its tool `echo` returns the message. */
const smallServer = JSON.stringify(hostile());
type Entry = Readonly<Record<string, unknown>>;

async function connected(client: McpClient, names: readonly string[]): Promise<void> {
  const state = async (): Promise<boolean> => {
    const text = textOf(await client.callTool('core_service_list'));
    const { services } = JSON.parse(text) as { services: { name: string; state: string }[] };
    const up = services.filter((service) => ['connected', 'running'].includes(service.state));
    return names.every((name) => up.some((service) => service.name === name));
  };
  await until(state, { what: `servers ${names.join(', ')} are connected`, withinMs: SLOW });
}

/** Calls in a loop until aborted. @returns the unexpected answers */
function keepCalling(
  client: McpClient,
  name: string,
): { end(): Promise<{ calls: number; wrong: unknown[] }> } {
  const wrong: unknown[] = [];
  let calls = 0;
  let isOver = false;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const message = `call ${(calls += 1)}`;
      try {
        const result = await client.callTool(name, { message });
        if (textOf(result) !== message) wrong.push(result);
      } catch (error) {
        wrong.push(String(error));
        isOver ||= wrong.length > 20;
      }
    }
  };
  const done = loop();
  return {
    end: async () => {
      isOver = true;
      await done;
      return { calls, wrong };
    },
  };
}

describe('e2e: upstream servers', function () {
  this.timeout(60_000);

  it('serves examples/minimal: thirteen meta-tools in front of two real servers', async () => {
    const state = makeDirectory();
    const pegboard = await servePegboard('examples/minimal', ['--state-path', state.path]);
    const client = await McpClient.connect(pegboard.url);
    expect(await client.listTools()).length(13);
    await connected(client, ['everything', 'files']);
    const read = await client.callTool('x_files_read_text_file', {
      path: 'hello.txt',
    });
    expect(textOf(read)).equal(readFileSync('examples/minimal/files/hello.txt', 'utf8'));
    // They are offered no roots, so they ask for none.
    expect(pegboard.lines.filter((line) => JSON.stringify(line).includes('request roots'))).deep.equal([]);
  });

  it('lists, filters, describes and calls over all three transports', async () => {
    const [http, sse] = await Promise.all([startEverything('streamableHttp'), startEverything('sse')]);
    const directory = makeDirectory({
      'mcpservers/byStdio.yaml': stdioServer,
      'mcpservers/byHttp.yaml': JSON.stringify({ type: 'streamable-http', url: http }),
      'mcpservers/bySse.yaml': JSON.stringify({ type: 'sse', url: sse }),
    });
    const { url } = await servePegboard(directory.path);
    const client = await McpClient.connect(url);
    const servers = ['byStdio', 'byHttp', 'bySse'];
    await connected(client, servers);
    const { tools } = JSON.parse(textOf(await client.callMeta('list_tools', { limit: 200 }))) as {
      tools: Entry[];
    };
    for (const server of servers) {
      const echo = `x_${server}_echo`;
      expect(tools.map(({ name }) => name)).include(echo);
      const found = textOf(
        await client.callMeta('filter_tools', { query: 'echo a message back', limit: 10 }),
      );
      expect(found).include(echo);
      const described = textOf(await client.callMeta('describe_tool', { name: echo }));
      expect(described).include('"message"');
      expect(textOf(await client.callTool(echo, { message: server }))).equal(`Echo: ${server}`);
      const failure = await client.callTool(echo, { message: 7 });
      expect(failure.isError).equal(true);
    }
    const image = await client.callTool('x_byHttp_get-tiny-image', {});
    expect(image.content.map(({ type }) => type)).include('image');
  });

  it('adds and removes servers while calls run, without losing a call', async () => {
    const directory: Directory = makeDirectory({ 'mcpservers/steady.yaml': smallServer });
    const { url } = await servePegboard(directory.path);
    const client = await McpClient.connect(url);
    await connected(client, ['steady']);
    const load = keepCalling(await McpClient.connect(url), 'x_steady_echo');
    directory.replace('mcpservers/second.yaml', smallServer);
    await connected(client, ['steady', 'second']);
    expect(textOf(await client.callTool('x_second_echo', { message: 'new' }))).equal('new');
    directory.write('mcpservers/broken.yaml', 'type: [');
    directory.remove('mcpservers/second.yaml');
    await until(async () => (await client.callTool('x_second_echo', { message: 'gone' })).isError === true, {
      what: 'the second server is gone',
      withinMs: SLOW,
    });
    const { calls, wrong } = await load.end();
    expect(wrong).deep.equal([]);
    expect(calls).greaterThan(10);
  });

  it('switches plugins off and on while calls run, without losing a call', async () => {
    const directory = makeDirectory({ 'config.yaml': '', 'mcpservers/steady.yaml': smallServer });
    const pegboard = await servePegboard(directory.path);
    const client = await McpClient.connect(pegboard.url);
    await connected(client, ['steady']);
    const load = keepCalling(await McpClient.connect(pegboard.url), 'x_steady_echo');
    const applied = (): number =>
      pegboard.lines.filter(({ text }) => text === 'configuration applied').length;
    for (const plugins of [
      '{transport-sse: false, core-services: false, core-config: false}',
      '{transport-sse: {config: {keepAliveMs: 1000}}}',
      '{front: {config: {maxDepth: 64}}, http: {config: {maxBodyBytes: 100000}}}',
      '{toolsets: false, metatools: {config: {}}}',
      '{}',
    ]) {
      const before = applied();
      directory.replace('config.yaml', `plugins: ${plugins}\n`);
      await until(() => applied() > before, { what: `plugins ${plugins} are applied`, withinMs: SLOW });
    }
    const { calls, wrong } = await load.end();
    expect(wrong).deep.equal([]);
    expect(calls).greaterThan(10);
  });

  it('leaves no child behind after kill -9', async () => {
    const warm = JSON.stringify({ ...hostile(), instances: 'perSession', warmInstances: 2 });
    const directory = makeDirectory({ 'mcpservers/steady.yaml': stdioServer, 'mcpservers/warm.yaml': warm });
    const pegboard = await servePegboard(directory.path);
    const client = await McpClient.connect(pegboard.url);
    await connected(client, ['steady', 'warm']);
    await client.callTool('x_warm_echo', { message: 'mine' });
    // The watchdog, two shared connections, one instance, and two processes that were started ahead.
    await until(() => processesBelow(pegboard.pid).length === 6, { what: '6 children', withinMs: SLOW });
    const children = processesBelow(pegboard.pid);
    await pegboard.kill();
    await until(() => children.every((pid) => !existsSync(`/proc/${pid}`)), {
      what: 'all children are gone',
      withinMs: SLOW,
    });
  });
});
