import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';
import { hostile } from '../../upstream/support.ts';

describe('pegboard start, stop, restart, remove and delete', () => {
  it('start, stop and restart a server, and print the state it reached', async () => {
    const directory = makeDirectory({
      'mcpservers/demo.yaml': JSON.stringify(hostile('plain', { autoStart: false })),
    });
    const { url } = await serveHere(directory);
    const run = (...args: string[]) =>
      typeVerb([...args, '--config-path', directory.path, '--endpoint', `${url}/mcp`]);
    expect(await run('start', 'demo')).include({
      code: 0,
      stdout: "Successfully started service 'demo'\n",
    });
    const restarted = await run('restart', 'demo', '-o', 'json');
    expect(JSON.parse(restarted.stdout)).include({ name: 'demo', state: 'running' });
    expect((await run('stop', 'demo')).stdout).contain('stopped');
    const unknown = await run('stop', 'dem');
    expect([unknown.code, unknown.stderr]).deep.equal([
      1,
      'pegboard: service dem not found; did you mean demo?\n',
    ]);
    const own = await run('stop', 'mcp-aggregator');
    expect(own.stderr).contain('pegboard stop mcp-aggregator --yes');
  });

  it('leave the words of a server that dies to get: a cell of a list is short', async () => {
    const crash = "console.error('a trace of lines'); process.exit(3)";
    const spec = { type: 'stdio', command: [process.execPath, '-e', crash], autoStart: true };
    const directory = makeDirectory({ 'mcpservers/demo.yaml': JSON.stringify(spec) });
    const { url } = await serveHere(directory);
    const run = async (...args: string[]): Promise<string> =>
      (await typeVerb([...args, '--config-path', directory.path, '--endpoint', `${url}/mcp`])).stdout;
    await until(async () =>
      (await run('get', 'server', 'demo')).includes('its last words: a trace of lines'),
    );
    for (const kind of ['servers', 'services'])
      expect(await run('list', kind), kind)
        .contain('exited with code 3')
        .and.not.contain('words');
    expect(await run('list', 'servers', '-o', 'json')).contain('a trace of lines');
  });

  it('stop a server before it is removed', async () => {
    const directory = makeDirectory({
      'mcpservers/demo.yaml': JSON.stringify(hostile()),
      'workflows/flow.yaml': 'steps:\n  - { id: a, tool: core_service_list }\n',
    });
    const { url } = await serveHere(directory);
    const run = (...args: string[]) =>
      typeVerb([...args, '--config-path', directory.path, '--endpoint', `${url}/mcp`]);
    await run('start', 'demo');
    const unknown = await run('remove', 'demi');
    expect([unknown.code, unknown.stderr]).deep.equal([
      1,
      'pegboard: there is no server demi; did you mean demo?\n',
    ]);
    expect(await run('remove', 'demo')).include({ code: 0, stderr: 'server demo is removed\n' });
    expect(await run('delete', 'workflow', 'flow', '-q')).include({ code: 0, stderr: '' });
    for (const file of ['mcpservers/demo.yaml', 'workflows/flow.yaml'])
      expect(existsSync(directory.at(file))).equal(false);
  });
});
