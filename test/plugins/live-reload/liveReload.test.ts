import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { startGateway } from '../../contract/gateway.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Files } from '../../support/directory.ts';
import { bootGateway } from '../../support/gateway.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { servePegboard } from '../../support/serve.ts';
import type { LogLine } from '../../support/serve.ts';
import { until } from '../../support/until.ts';

/** Longer than the watcher needs for a change that has no event. */
const LOOKED_MS = 1_500;
const OFF = 'plugins:\n  live-reload: false\n';
const ON = '# watched\n';
const BUILT_INS = ['live-reload', 'store-file', 'core-mcpservers'];

function serverNo(timeout: number): string {
  return JSON.stringify({ type: 'stdio', command: ['x'], suspended: true, timeout });
}
/** A gateway in its own process, and a wait for the reload that a change causes. */
async function served(config: string) {
  const directory = makeDirectory({ 'config.yaml': config });
  const pegboard = await servePegboard(directory.path);
  const applied = (): readonly LogLine[] =>
    pegboard.lines.filter(({ text }) => text === 'configuration applied');
  const after = async (change: () => unknown): Promise<LogLine | undefined> => {
    const before = applied().length;
    await change();
    await until(() => applied().length > before, { what: 'the configuration is applied' });
    return applied()[before];
  };
  const unnoticed = async (name: string): Promise<void> => {
    const before = applied().length;
    directory.write(`mcpservers/${name}.yaml`, serverNo(1));
    await pause(LOOKED_MS);
    expect(applied().slice(before)).to.deep.equal([]);
  };
  const hangUp = (): boolean => process.kill(pegboard.pid, 'SIGHUP');
  return { directory, pegboard, after, unnoticed, hangUp };
}
/** A gateway in this process. */
async function started(files: Files) {
  const directory = makeDirectory(files);
  const gateway = await startGateway({ directory: directory.path, builtIns: BUILT_INS });
  defer(() => gateway.stop());
  return { gateway, directory };
}

describe('plugins/live-reload', () => {
  it('reads, while it is switched off, no written file before SIGHUP or core_config_reload', async () => {
    const { pegboard, after, unnoticed, hangUp } = await served(OFF);
    await unnoticed('one');
    expect(await after(hangUp)).to.deep.include({ added: ['MCPServer/one'] });
    await unnoticed('two');
    const client = await McpClient.connect(pegboard.url);
    const reload = (): Promise<unknown> => client.callTool('core_config_reload');
    expect(await after(reload)).to.deep.include({ added: ['MCPServer/two'] });
    expect(await pegboard.stop()).to.deep.equal({ code: 0, signal: null });
  });

  it('is switched off by an edit, and on by the next read', async () => {
    const { directory, pegboard, after, unnoticed, hangUp } = await served(ON);
    const write = (name: string, text: string) => (): void => directory.replace(name, text);
    expect(await after(write('mcpservers/one.yaml', serverNo(1)))).to.deep.include({
      added: ['MCPServer/one'],
    });
    for (const [at, name] of ['two', 'three'].entries()) {
      expect(await after(write('config.yaml', OFF))).to.deep.include({ actions: { 'live-reload': 'stop' } });
      await unnoticed(name);
      directory.write('config.yaml', ON);
      expect(await after(hangUp)).to.deep.include({
        actions: { 'live-reload': 'start' },
        added: [`MCPServer/${name}`],
      });
      expect(await after(write('mcpservers/one.yaml', serverNo(at + 2)))).to.deep.include({
        changed: ['MCPServer/one'],
      });
    }
    expect(await pegboard.stop()).to.deep.equal({ code: 0, signal: null });
    expect(pegboard.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('watches again after it was restarted alone', async () => {
    const { gateway, directory } = await started({ 'config.yaml': ON });
    await gateway.restart('live-reload');
    directory.write('mcpservers/one.yaml', serverNo(1));
    await until(() => gateway.control.resources('MCPServer').length > 0);
  });

  it('keeps a half-written definition when it has just been switched on', async () => {
    const whole = JSON.stringify(
      { type: 'stdio', command: ['x'], suspended: true, env: { A: '1' } },
      null,
      1,
    );
    const files = { 'config.yaml': OFF, 'mcpservers/one.yaml': `# one\n${whole}\n` };
    const { gateway, directory } = await started(files);
    const { control } = gateway;
    const [before] = control.resources('MCPServer');
    directory.write('config.yaml', ON);
    directory.write('mcpservers/one.yaml', '# one\n{ "type": "stdio", "command": ["y"] }');
    const { actions, issues } = await control.reload();
    expect(actions).to.deep.equal({ 'live-reload': 'start' });
    expect(issues.map(({ message }) => message)).to.deep.equal([
      'MCPServer one: its file may be half written; until it is whole, the last version stays',
    ]);
    expect(control.resources('MCPServer')).to.deep.equal([before]);
  });

  it('ends at once if it is stopped before it has begun', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { gateway } = await started({ 'config.yaml': ON });
      await gateway.stop();
      expect(gateway.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
    }
  });

  it('does nothing in a gateway whose directory is not to be watched', async () => {
    const files = { 'config.yaml': 'namespace: a\naggregator:\n  logLevel: warn\n' };
    const { pipeline, directory } = await bootGateway({ files, builtIns: BUILT_INS });
    directory.write('config.yaml', 'namespace: b\n');
    await pause(LOOKED_MS);
    expect(pipeline.lastReport()?.generation).to.equal(1);
    expect(await pipeline.reload()).to.deep.include({ generation: 2, applied: true, issues: [] });
  });
});
