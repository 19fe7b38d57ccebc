import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { EVERYTHING, freePort } from '../../../support/everything.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeAtTerminal, typeVerb } from '../../../support/typeVerb.ts';

const node = (script: string): object => ({ command: process.execPath, args: ['-e', script] });
const SILENT = node('setInterval(() => undefined, 1_000)');
const WORKING = { command: process.execPath, args: [EVERYTHING, 'stdio'] };

async function served(
  mcpServers: object,
): Promise<{ readonly directory: Directory; readonly args: string[] }> {
  const directory = makeDirectory({ 'mcp.json': JSON.stringify({ mcpServers }) });
  const { port } = new URL((await serveHere(directory)).url);
  directory.write('config.yaml', `aggregator: { port: ${port} }\n`);
  return { directory, args: ['import', directory.at('mcp.json'), '--yes', '--config-path', directory.path] };
}

describe('pegboard import, where the gateway of the directory runs', () => {
  it('says how each server starts, with the next step for those that do not', async () => {
    const { args } = await served({
      works: WORKING,
      broken: node('console.error("no key"); process.exit(3)'),
      off: { ...WORKING, args: [EVERYTHING, 'stdio', 'off'], disabled: true },
    });
    const { code, stderr } = await typeVerb(args);
    expect(code, stderr).equal(0);
    expect(stderr).contain('waiting for works, broken to start; Ctrl-C leaves them to it\n');
    expect(stderr).match(/\nworks: running\n/);
    expect(stderr).match(
      /\nbroken: .*exited with code 3; its last words: no key.*; change it with: pegboard edit server broken\n/,
    );
    expect(stderr).match(/\n1 of 2 started\n$/);
  });

  it('leaves them to it after Ctrl-C', async () => {
    const { args } = await served({ silent: SILENT });
    const { shows, cancel, ended } = typeAtTerminal(args);
    await shows(/waiting for silent/);
    cancel.cancel('interrupted');
    expect((await ended).stderr).match(/they continue to start; look with: pegboard list servers\n$/);
  });

  it('waits no longer than --timeout, and names those that did not answer', async () => {
    const { args } = await served({ silent: SILENT });
    const { code, stderr } = await typeVerb([...args, '--timeout', '3']);
    expect(code, stderr).equal(0);
    expect(stderr).match(/\n0 of 1 started; silent did not answer yet\n$/);
  });

  it('says nothing of starts where no gateway runs', async () => {
    const directory = makeDirectory({
      'mcp.json': JSON.stringify({ mcpServers: { works: WORKING } }),
      'config.yaml': `aggregator: { port: ${await freePort()} }\n`,
    });
    const { code, stderr } = await typeVerb([
      ...['import', directory.at('mcp.json'), '--yes', '--config-path', directory.path],
    ]);
    expect([code, stderr]).deep.equal([
      0,
      'imported 1, linked 0; take it back with: pegboard import --undo\n',
    ]);
  });
});
