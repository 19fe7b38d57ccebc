import { setTimeout as pause } from 'node:timers/promises';
import type { LogLine } from '../support/serve.ts';
import { McpClient } from '../support/mcpClient.ts';
import { until } from '../support/until.ts';
import { Between } from './between.ts';
import { ForeignServer } from './foreignServer.ts';
import { CONNECT_MS } from './gateway.ts';
import type { Gateway } from './gateway.ts';
import type { ServerKind } from './servers.ts';

export const FATES = ['restart', 'redeploy', 'hang', 'cut', 'sweep'] as const;
export type Fate = (typeof FATES)[number];

const OLDER = 'cancelled echo elicit fail grow image log roots sample slow structured touch wait'.split(' ');
const NEWER = ['bye', ...OLDER];
const RIGHT_MS = 5_000;
const LATER = /the next attempt is at|it has not run, call again later|had no answer within|it hangs/;
/** Longer than Pegboard waits before it opens a stream again, so that this is refused at least once. */
const DOWN_MS = 1_500;

/** Each fault by what is wrong: `call`, `tools` or `log`; `initialize` where the server cannot even be connected. */
export type Faults = Readonly<Record<string, string>>;
export interface Met {
  readonly faults: Faults;
  /** What the log says. */
  readonly log: readonly LogLine[];
}

interface Scene {
  readonly gateway: Gateway;
  readonly server: ForeignServer;
  readonly client: McpClient;
  readonly between: Between | undefined;
}

/** What happens to the server. @returns the tools that it has then */
const HAPPENS: Readonly<Record<Fate, (scene: Scene) => Promise<readonly string[]>>> = {
  restart: async ({ server }) => {
    await server.end();
    await server.begin();
    return OLDER;
  },
  redeploy: async ({ server }) => {
    server.redeploy();
    await server.end();
    await server.begin();
    return NEWER;
  },
  hang: async (scene) => {
    const isProcess = scene.server.kind.over === 'stdio';
    await scene.server.stop();
    // A process can be replaced after the first; what is remote has to come back by itself.
    for (let calls = isProcess ? 1 : 3; calls > 0; calls -= 1)
      if ((await echo(scene)) === '') throw new Error('a stopped process has answered');
    if (!isProcess) scene.server.resume();
    return OLDER;
  },
  cut: async ({ server, between }) => {
    between?.cut();
    await grow(server);
    await pause(DOWN_MS);
    between?.up();
    return NEWER;
  },
  sweep: async ({ between }) => {
    await between?.sweep();
    return OLDER;
  },
};

export function canMeet({ over, keeps }: ServerKind, fate: Fate): boolean {
  if (fate === 'sweep') return keeps.includes('sessions');
  return fate !== 'cut' || over === 'http';
}

/** Whether it ends anything that Pegboard keeps for the server. */
function isNoticed({ over, keeps }: ServerKind, fate: Fate): boolean {
  if (over === 'stdio' || fate === 'hang') return true;
  return keeps.includes(fate === 'cut' ? 'a stream' : 'sessions');
}

export async function meetFate(gateway: Gateway, kind: ServerKind, fate: Fate): Promise<Met> {
  const name = `${kind.word}-${fate}`;
  const server = await ForeignServer.start(kind, name);
  const { between, url = '' } = kind.over === 'http' ? await Between.open(server.port) : {};
  gateway.define(name, kind.over === 'http' ? url : server.command, fate === 'hang');
  const scene = { gateway, server, client: await gateway.connect(), between };
  try {
    const away = await gateway.connected(name, scene.client, CONNECT_MS);
    if (away !== '') return { faults: { initialize: away }, log: [] };
    const before = await toolsOf(scene);
    if (before.join() !== OLDER.join()) throw new Error(`${name} begins with ${before.join(' ')}`);
    await expectKept(kind, between);
    const mark = gateway.lines;
    const tools = await HAPPENS[fate](scene);
    const [call, listed] = await Promise.all([callInTime(scene), toolsInTime(scene, tools)]);
    const lines = gateway.linesAbout(name, mark);
    const log = isNoticed(kind, fate) && !lines.some(saysWhy) ? 'does not say why' : '';
    const faults = Object.entries({ call, tools: listed, log }).filter(([, fault]) => fault !== '');
    return { faults: Object.fromEntries(faults), log: lines };
  } finally {
    gateway.remove(name);
    await server.end();
  }
}

function saysWhy(line: LogLine): boolean {
  return typeof line['reason'] === 'string' || typeof line['error'] === 'string';
}

async function expectKept({ word, keeps }: ServerKind, between: Between | undefined): Promise<void> {
  if (between === undefined) return;
  const isKept = (): boolean =>
    between.hasSessions === keeps.includes('sessions') && between.hasStream === keeps.includes('a stream');
  // The stream is opened after the first call could be answered.
  await until(isKept, { what: `${word} keeps ${keeps}` });
}

/** @returns what was answered instead of the right answer, or nothing */
async function echo({ client, server }: Scene): Promise<string> {
  const { content, isError } = await client.callTool(`x_${server.name}_echo`, { message: 'there' });
  const said = String(content[0]?.['text']);
  return isError === true || said !== 'Echo: there' ? said : '';
}

/** Calls again only where the answer says that it has not run and to call later, or that the server hangs. */
async function callInTime(scene: Scene): Promise<string> {
  const end = performance.now() + rightMs(scene);
  for (;;) {
    const fault = await echo(scene);
    if (performance.now() > end) return fault === '' ? 'right, but too late' : fault;
    if (!LATER.test(fault)) return fault;
    await pause(100);
  }
}

async function toolsInTime(scene: Scene, tools: readonly string[]): Promise<string> {
  const end = performance.now() + rightMs(scene);
  while (!(await hasTools(scene, tools))) {
    if (performance.now() > end) return (await toolsOf(scene)).join(' ');
    await pause(100);
  }
  return '';
}
function rightMs({ server }: Scene): number {
  // A process has to start first.
  return server.kind.over === 'stdio' ? CONNECT_MS : RIGHT_MS;
}
async function hasTools(scene: Scene, tools: readonly string[]): Promise<boolean> {
  return (await toolsOf(scene)).join() === tools.join();
}
async function toolsOf({ client, server }: Scene): Promise<readonly string[]> {
  const prefix = `x_${server.name}_`;
  const { content } = await client.callMeta('filter_tools', { pattern: `${prefix}*`, limit: 100 });
  const { tools } = JSON.parse(String(content[0]?.['text'])) as {
    tools: readonly { readonly name: string }[];
  };
  return tools.map(({ name }) => name.slice(prefix.length)).sort();
}

/** Calls the tool that adds another one, past the proxy and Pegboard. */
async function grow({ url }: ForeignServer): Promise<void> {
  const client = await McpClient.connect(url.replace('/mcp', ''));
  await client.callMeta('grow');
}
