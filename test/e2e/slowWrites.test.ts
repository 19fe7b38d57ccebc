import { closeSync, openSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { expect } from 'chai';
import { hostile } from '../plugins/upstream/support.ts';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import type { LogLine } from '../support/serve.ts';
import { until } from '../support/until.ts';

const CONFIG = `aggregator:
  logLevel: info
plugins:
  deny:
    config:
      tools: [x_one_pid]
`;
const SERVER = `${JSON.stringify(hostile('plain', { timeout: 60 }), null, 2)}\n`;

/** A gateway with a server, one of whose tools is denied. */
async function start() {
  const directory = makeDirectory({ 'config.yaml': CONFIG, 'mcpservers/one.yaml': SERVER });
  const pegboard = await servePegboard(directory.path);
  const client = await McpClient.connect(pegboard.url);
  const told = (tool: string, args = {}): Promise<string> =>
    client.callTool(tool, args).then(textOf, (error: unknown) => String(error));
  await until(async () => (await told('x_one_echo', { message: 'hello' })) === 'hello', {
    what: 'the server answers',
  });
  const applied = (): readonly LogLine[] =>
    pegboard.lines.filter(({ text }) => text === 'configuration applied');
  /** Resolves when all changes up to now have been looked at: another definition has been edited after them. */
  const looked = async (): Promise<void> => {
    const before = applied().length;
    const probe = { type: 'stdio', command: ['x'], suspended: true, timeout: before + 1 };
    directory.replace('mcpservers/probe.yaml', JSON.stringify(probe));
    await until(() => applied().length > before, { what: 'a reload for the probe' });
  };
  return { directory, pegboard, told, applied, looked };
}
/** Opens a file for writing, which empties it, then writes a line, or what is left, with each call. @returns whether more is left */
function rewriting(file: string, text: string): () => boolean {
  const handle = openSync(file, 'w');
  defer(() => closeSync(handle));
  const lines = text.match(/.*\n/g) ?? [];
  return () => {
    writeSync(handle, lines.shift() ?? '');
    return lines.length > 0;
  };
}

describe('e2e: files that are written slowly', () => {
  it('open no denied tool, and end no running call', async () => {
    const { directory, pegboard, told, looked, applied } = await start();
    const running = told('x_one_slow', { ms: 4_000 });
    const writes = [
      rewriting(directory.at('config.yaml'), CONFIG),
      rewriting(directory.at('mcpservers/one.yaml'), SERVER),
    ];
    const from = applied().length;
    do {
      await looked();
      expect(await told('x_one_pid')).to.contain('is denied');
    } while (writes.map((write) => write()).includes(true));
    await looked();
    expect(await told('x_one_pid')).to.contain('is denied');
    expect(await running).to.equal('done');
    // Editors may save by removing and creating.
    unlinkSync(directory.at('mcpservers/one.yaml'));
    writeFileSync(directory.at('mcpservers/one.yaml'), SERVER);
    await looked();
    const probeAlone = { changed: ['MCPServer/probe'] };
    for (const line of applied().slice(from + 1))
      expect(line).to.deep.include(probeAlone).and.not.have.property('removed');
    expect(pegboard.lines.filter(({ text }) => /looks cut|must be/.test(text))).to.deep.equal([]);
  });

  it('are read after 5 s, with a warning, if they are shorter for good', async () => {
    const { directory, pegboard, told } = await start();
    const writtenAt = Date.now();
    directory.write('config.yaml', CONFIG.slice(0, CONFIG.indexOf('plugins:')));
    await pegboard.logged('a file may be half written; its last version stays meanwhile');
    expect(await told('x_one_pid')).to.contain('is denied');
    const text = 'a file looks cut, but it stays as it is, so it is read; restore its end if that is missing';
    const warning = await pegboard.logged(text);
    expect(warning).to.include({ level: 'warn', file: directory.at('config.yaml') });
    expect(Date.now() - writtenAt).to.be.within(5_000, 8_000);
    await until(async () => /^\d+$/.test(await told('x_one_pid')), { what: 'the tool is allowed' });
  });
});
