import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import type { LogLine } from '../support/serve.ts';
import { defer } from '../support/cleanup.ts';
import type { ClientKind } from './clients.ts';
import { ForeignServer } from './foreignServer.ts';
import { folderOf } from './installation.ts';
import { CONNECT_MS } from './gateway.ts';
import type { Gateway } from './gateway.ts';
import type { ServerKind } from './servers.ts';

const WALK_MS = 120_000;

/** What each step shows where it is right. */
const RIGHT: Readonly<Record<string, (name: string) => string | RegExp>> = {
  initialize: () => 'connected',
  text: () => 'Echo: there',
  image: () => 'image/png 96',
  structured: () => '{"sum":5}',
  isError: () => /^error: .*it failed/,
  'bad arguments': () => 'refused',
  // The last ones may come after the answer; then they are not delivered.
  progress: () => /^1\/3( 2\/3( 3\/3)?)?$/,
  logging: () => /^info .*hello/,
  elicitation: () => 'accept Ada',
  sampling: () => 'Paris',
  roots: () => 'file:///home/ada',
  cancel: () => '1 reached it',
  read: () => 'the note',
  template: () => 'item 7',
  subscribe: (name) => `note://${name}/one`,
  prompt: () => 'Greet Ada',
  completion: () => 'Ada Alan',
  ping: () => 'answered',
  end: () => 'ended',
};

export const STEPS = Object.keys(RIGHT);

/** What was seen of one client at one server instead of what is right, by step. */
export interface Walked {
  readonly through: Readonly<Record<string, string>>;
  /** The steps without Pegboard, over HTTP. */
  readonly directly: Readonly<Record<string, string>>;
  /** What the log says. */
  readonly log: readonly LogLine[];
}

export async function walk(gateway: Gateway, server: ServerKind, client: ClientKind): Promise<Walked> {
  const name = `${server.word}-${client.word}`;
  const running = await ForeignServer.start(server, name);
  gateway.define(name, server.over === 'http' ? running.url : running.command);
  try {
    const caller = await gateway.connect();
    const away = await gateway.connected(name, caller, CONNECT_MS);
    if (away !== '') return { through: { initialize: away }, directly: {}, log: gateway.linesAbout(name, 0) };
    const through = await run(client, [`${gateway.url}/mcp`, name, `x_${name}_`]);
    const remote =
      server.over === 'http' ? running : await ForeignServer.start(overHttp(server), `${name}-h`);
    const directly = await run(client, [remote.url, remote.name]);
    if (remote !== running) await remote.end();
    return {
      through: faultsIn(through, name),
      directly: faultsIn(directly, remote.name),
      log: gateway.linesAbout(name, 0),
    };
  } finally {
    gateway.remove(name);
    await running.end();
  }
}

function overHttp(server: ServerKind): ServerKind {
  return { ...server, over: 'http' };
}

function faultsIn(seen: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> {
  const wrong = Object.entries(RIGHT).filter(([step, right]) => {
    const expected = right(name);
    const said = seen[step] ?? '';
    return typeof expected === 'string' ? said !== expected : !expected.test(said);
  });
  return Object.fromEntries(wrong.map(([step]) => [step, seen[step] ?? 'not reached']));
}

async function run(client: ClientKind, args: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const [program = '', ...words] = [...client.sdk.client(folderOf(client.sdk)), ...args];
  const child = spawn(program, words, {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: WALK_MS,
    killSignal: 'SIGKILL',
  });
  defer(() => child.kill('SIGKILL'));
  const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    return JSON.parse(said) as Readonly<Record<string, string>>;
  } catch {
    throw new Error(`the client ${client.title} failed:\n${said}\n${errors.slice(-4_000)}`);
  }
}
