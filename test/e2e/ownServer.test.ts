import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import type { JsonObject } from '../../kernel/index.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { packedProgram } from '../support/packed.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

/** A definition that runs a gateway, and writes a line to `started` for each. @param path its configuration directory */
function gatewayAt(path: string, started: string): string {
  const script = `echo ${path} >> ${started}; exec "$@"`;
  const program = [process.execPath, packedProgram(), 'serve', '--transport', 'stdio', '--config-path', path];
  return JSON.stringify({ type: 'stdio', autoStart: true, command: ['sh', '-c', script, 'sh', ...program] });
}
function linesIn(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
function directoryWith(files: Readonly<Record<string, string>> = {}): Directory {
  const directory = makeDirectory();
  directory.write('config.yaml', '{}\n');
  for (const [name, text] of Object.entries(files)) directory.write(name, text);
  return directory;
}

describe('e2e: a gateway that is a server of its own directory', () => {
  it('starts once at each attempt, refuses, and the state of the server says why', async () => {
    const directory = directoryWith();
    const started = directory.at('started');
    const link = `${directory.path}-link`;
    symlinkSync(directory.path, link);
    directory.write('mcpservers/self.yaml', gatewayAt(link, started));
    const { url } = await servePegboard(directory.path);
    const client = await McpClient.connect(url);
    const status = async (): Promise<JsonObject> =>
      JSON.parse(textOf(await client.callTool('core_service_status', { name: 'self' }))) as JsonObject;
    const { metadata, error } = await until(
      async () => {
        const now = await status();
        return now['state'] === 'failed' ? now : undefined;
      },
      { what: 'the refusal' },
    );
    expect(error)
      .to.contain('its process exited with code 3')
      .and.to.contain(`started from within a stdio server of the gateway at ${realpathSync(directory.path)}`);
    expect(linesIn(started)).to.have.length((metadata as JsonObject)['consecutiveFailures'] as number);
  });

  it('is noticed behind a gateway on another directory, which serves', async () => {
    const [outer, inner] = [directoryWith(), directoryWith()];
    const started = outer.at('started');
    outer.write('mcpservers/inner.yaml', gatewayAt(inner.path, started));
    inner.write('mcpservers/outer.yaml', gatewayAt(outer.path, started));
    const { url } = await servePegboard(outer.path);
    const client = await McpClient.connect(url);
    const told = await until(
      async () => {
        const answer = textOf(
          await client.callTool('x_inner_call_tool', {
            name: 'core_service_status',
            arguments: { name: 'outer' },
          }),
        );
        return answer.includes('from within a stdio server') ? answer : undefined;
      },
      { what: 'the refusal' },
    );
    expect(told).to.contain('failed');
    expect(linesIn(started).filter((line) => line === inner.path)).to.deep.equal([inner.path]);
  });

  it('does not hinder a command of that gateway, nor one on another directory', async () => {
    const directory = directoryWith();
    const parents = (pid: number): Readonly<Record<string, string>> => ({
      PEGBOARD_PARENT_DIRECTORIES: JSON.stringify([[realpathSync(directory.path), pid]]),
    });
    const env = parents(process.pid);
    const refused = await runPegboard(['serve', '--config-path', directory.path], env);
    expect(refused.code).to.equal(3);
    expect(refused.stderr).to.contain('unset PEGBOARD_PARENT_DIRECTORIES');
    expect(await runPegboard(['check', '--config-path', directory.path], env)).to.include({ code: 0 });
    await servePegboard(directoryWith().path, [], { env });
    const ended = spawnSync('true').pid;
    await servePegboard(directory.path, [], { env: parents(ended) });
  });

  it('does not hinder one that has something else in its variable', async () => {
    const directory = directoryWith();
    await servePegboard(directory.path, [], { env: { PEGBOARD_PARENT_DIRECTORIES: 'odd' } });
  });
});
