import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { JsonObject } from '../../kernel/index.ts';
import { packedProgram } from '../support/packed.ts';
import { until } from '../support/until.ts';
import type { Client, Program } from './clients.ts';
import { Gateway } from './gateway.ts';
import { Home } from './home.ts';
import type { Leg } from './legs.ts';
import { callOf, expectIn, play } from './play.ts';
import { connecting } from './readmeLines.ts';

const ECHO = 'x_everything_echo';
const MEMORY = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');
const REQUESTS = 60;

/** The bridge as a stdio server of an agent. */
export const AGENT_BRIDGE: Leg<Client> = {
  title: 'calls a tool by `pegboard agent`, and again in the same session after kill -9 of the gateway',
  run: async (client) => {
    const gateway = await Gateway.start();
    const script = [
      callOf(ECHO, { message: 'before' }),
      { ...callOf(ECHO, { message: 'after' }), before: () => gateway.restart('kill') },
    ];
    const connect = { line: client.addCommand('pegboard', bridgeTo(gateway).join(' ')) };
    const { api, output } = await play(client, script, { connect, isPermitted: true });
    expectIn(api.results, ['Echo: before', 'Echo: after'], output);
    return 'both calls answered';
  },
};

/** Inspector calls again and again in one session. */
export const INSPECTOR_BRIDGE: Leg<Program> = {
  title: 'lists tools by `pegboard agent` as by HTTP, and calls one over kill -9 of the gateway',
  run: async (inspector) => {
    const home = new Home(inspector);
    const memory = home.at('memory.jsonl');
    const definition = {
      type: 'stdio',
      command: [process.execPath, MEMORY],
      env: { MEMORY_FILE_PATH: memory },
      autoStart: true,
    };
    const gateway = await Gateway.start({ servers: { memory: definition } });
    const inspect = ['mcp-inspector', '--cli', ...bridgeTo(gateway)];
    const [line = ''] = Object.values(connecting('Inspector', gateway.url));
    const direct = await home.type(line.replace('npx -y @modelcontextprotocol/inspector', 'mcp-inspector'));
    const bridged = await home.run([...inspect, '--method', 'tools/list']);
    if (!direct.stdout.includes('"call_tool"') || bridged.stdout !== direct.stdout)
      throw new Error(`by HTTP it lists\n${direct.text}\nby the bridge\n${bridged.text}`);
    const entity = { name: 'Ada', entityType: 'person', observations: [] };
    const args = { name: 'x_memory_create_entities', arguments: { entities: [entity] } };
    const calling = home.run([
      ...[...inspect, '--method', 'tools/call', '--tool-name', 'call_tool'],
      ...['--tool-args-json', JSON.stringify(args), '--format', 'json'],
      // At 20 calls a second, so that most of them are still to come when the first has been carried out.
      ...['--load', '--load-requests', String(REQUESTS), '--load-concurrency', '1', '--load-rate', '20'],
    ]);
    await until(() => existsSync(memory), { what: 'a call of Inspector', withinMs: 30_000 });
    await gateway.restart('kill');
    const { stdout, text } = await calling;
    const { requests, ok, errorMessages } = (JSON.parse(stdout) as { result: JsonObject }).result;
    // The call under way may have been carried out or not; Inspector is told so.
    const lost = JSON.stringify(errorMessages).match(/may have been carried out or not/g) ?? [];
    if (
      !text.includes('connected to') ||
      requests !== REQUESTS ||
      ok !== REQUESTS - lost.length ||
      lost.length > 1
    )
      throw new Error(`not every call was answered:\n${text}`);
    return `${REQUESTS} calls, ${lost.length} under way at the kill`;
  },
};

function bridgeTo({ url }: Gateway): readonly string[] {
  return [process.execPath, packedProgram(), 'agent', '--endpoint', `${url}/mcp`];
}
