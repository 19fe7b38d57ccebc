import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { EVERYTHING, startEverything } from '../support/everything.ts';
import { packedProgram } from '../support/packed.ts';
import type { Agent, Configured, Listing } from './clients.ts';
import { Gateway } from './gateway.ts';
import { Home } from './home.ts';
import type { Leg } from './legs.ts';
import { callOf, expectIn, expectOffered, play } from './play.ts';

const COMMAND = `${process.execPath} ${EVERYTHING} stdio`;

/** The client's own command line writes its files, Pegboard's changes them. */
export const LINK: Leg<Listing> = {
  title: 'is linked in place of the servers that it has added, and has its files back byte for byte',
  run: async (client) => {
    const { home, gateway, pegboard } = await setUp(client);
    const former = filesOf(client, home);
    const endpoint = ['--endpoint', `${gateway.url}/mcp`];
    const isOfProject = client.files.some((file) => file.startsWith('project/'));
    const importAll = async (): Promise<void> => {
      await pegboard(['import', client.word, '--link', '--project', '--yes', ...endpoint]);
      if (!isOfProject) return;
      // What comes from a file of the project arrives switched off, and stays in the client.
      await gateway.connected(1);
      await pegboard(['start', 'command', ...endpoint]);
      await pegboard(['link', client.word, '--yes', ...endpoint]);
    };
    await importAll();
    await gateway.connected(2);
    await expectListed(client, home, ['pegboard']);
    for (const tool of ['x_command_echo', 'x_address_echo']) {
      const said = await pegboard(['call', tool, '--message', 'imported', ...endpoint]);
      if (!said.includes('Echo: imported')) throw new Error(`${tool} says ${said}`);
    }
    await pegboard(['unlink', client.word, '--yes']);
    expectSame(filesOf(client, home), former);
    await pegboard(['link', client.word, '--yes', ...endpoint]);
    await pegboard(['import', '--undo', '--yes']);
    expectSame(filesOf(client, home), former);
    const left = readdirSync(join(gateway.directory, 'mcpservers'));
    if (left.length > 0) throw new Error(`import --undo leaves ${left.join(', ')}`);
    await importAll();
    await home.type(client.addCommand('later', COMMAND));
    await pegboard(['unlink', client.word, '--yes']);
    await expectListed(client, home, ['address', 'command', 'later']);
    return `${client.files.join(' and ')}; what it adds while it is linked stays`;
  },
};

/** The short form for agents, also those without a list of servers: they call through the entry that Pegboard writes. */
export const LINKED_CALL: Leg<Agent> = {
  title:
    'calls a server that it has added, once it is linked in its place, and has its files back byte for byte',
  run: async (client) => {
    const home = new Home(client);
    const gateway = await Gateway.start({ servers: {} });
    const pegboard = pegboardIn(home, gateway);
    let former: Readonly<Record<string, string>> = {};
    const { api, output } = await play(client, [callOf('x_command_echo', { message: 'linked' })], {
      home,
      isPermitted: true,
      prepare: async () => {
        await home.type(client.addCommand('command', COMMAND));
        former = filesOf(client, home);
        await pegboard(['import', client.word, '--link', '--yes', '--endpoint', `${gateway.url}/mcp`]);
        await gateway.connected(1);
      },
    });
    const offered = expectOffered(client, api, output);
    expectIn(api.results, ['Echo: linked'], output);
    await pegboard(['unlink', client.word, '--yes']);
    expectSame(filesOf(client, home), former);
    return `${client.files.join(' and ')}; ${offered}`;
  },
};

/** A command of Pegboard in the client's home. @returns its output @throws Error if it fails */
type Command = (args: readonly string[]) => Promise<string>;
function pegboardIn(home: Home, { directory }: Gateway): Command {
  return async (args) => {
    const { code, text } = await home.run([
      ...[process.execPath, packedProgram(), ...args],
      ...['--config-path', directory],
    ]);
    if (code !== 0) throw new Error(`pegboard ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${text}`);
    return text;
  };
}

interface SetUp {
  readonly home: Home;
  /** A gateway without servers. */
  readonly gateway: Gateway;
  readonly pegboard: Command;
}

/** A client with two servers: `command` (stdio) in its default scope, `address` (http) for all projects. */
async function setUp(client: Listing): Promise<SetUp> {
  const home = new Home(client);
  const gateway = await Gateway.start({ servers: {} });
  await home.type(client.addCommand('command', COMMAND));
  await home.type(client.addUrl('address', await startEverything('streamableHttp')));
  // Claude Code completes its file when it runs for the first time.
  await expectListed(client, home, ['address', 'command']);
  return { home, gateway, pegboard: pegboardIn(home, gateway) };
}

/** @throws Error if the client shows other servers as connected */
async function expectListed(client: Listing, home: Home, names: readonly string[]): Promise<void> {
  const { text } = await home.type(client.list);
  const listed = [...text.matchAll(client.listed)].map(([, name = '']) => name).sort();
  if (!isDeepStrictEqual(listed, names)) throw new Error(`it lists not ${names.join(', ')}, but\n${text}`);
}

function filesOf({ files }: Configured, home: Home): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map((file) => [file, home.read(file)]));
}
function expectSame(texts: Readonly<Record<string, string>>, former: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(texts))
    if (text !== former[file])
      throw new Error(`${file} is not as it was:\n${former[file] ?? ''}\nbut\n${text}`);
}
