import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { callBody, initializeBody } from '../support/edge.ts';
import type { Directory } from '../support/directory.ts';
import { makeDirectory } from '../support/directory.ts';
import { edgeDirectory } from '../support/edgeProcess.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import type { ClientResult, RpcMessage } from '../support/mcpClient.ts';
import { packedProgram } from '../support/packed.ts';
import { send } from '../support/rawHttp.ts';
import { servePegboard } from '../support/serve.ts';
import { until, within } from '../support/until.ts';

async function serveStdio(plugins: Record<string, unknown> = {}, args: string[] = []) {
  return serveFrom(await edgeDirectory(plugins), args);
}
async function serveFrom({ path }: Directory, args: string[] = []) {
  const pegboard = await servePegboard(path, ['--transport', 'stdio', ...args]);
  const lines: string[] = [];
  createInterface(pegboard.stdout).on('line', (line) => lines.push(line));
  const say = (...messages: unknown[]): void => {
    for (const one of messages)
      pegboard.stdin.write(`${typeof one === 'string' ? one : JSON.stringify(one)}\n`);
  };
  const heard = async (count: number): Promise<RpcMessage[]> => {
    await until(() => lines.length >= count, { what: `${count} lines on stdout` });
    return lines.map((line) => JSON.parse(line) as RpcMessage);
  };
  return { pegboard, lines, say, heard };
}

describe('e2e: stdio', () => {
  it('carries only MCP on stdout, also with logs at debug and garbage as input', async () => {
    const { pegboard, say, heard, lines } = await serveStdio({}, ['--log-level', 'debug']);
    say(initializeBody(), 'garbage', callBody('multiline'), callBody('echo', { a: 1 }, { id: 2 }));
    await heard(4);
    pegboard.stdin.end();
    expect(await within(pegboard.exited)).deep.equal({ code: 0, signal: null });
    for (const line of lines) expect(JSON.parse(line)).include({ jsonrpc: '2.0' });
    expect(lines).length(4);
    expect(pegboard.lines.some(({ text }) => text === 'ready')).equal(true);
  });

  it('exits 0 at the end of its input, after answering the requests under way', async () => {
    const { pegboard, say, heard } = await serveStdio();
    say(initializeBody(), callBody('slow'));
    await pegboard.logged('slow began');
    pegboard.stdin.end(JSON.stringify(callBody('echo', {}, { id: 2 })));
    expect((await heard(2)).map(({ id }) => id)).deep.equal([0, 2]);
    await until(() => pegboard.lines.find(({ text }) => text.startsWith('stopping')), { what: 'the stop' });
    process.kill(pegboard.pid, 'SIGUSR2');
    expect(await within(pegboard.exited)).deep.equal({ code: 0, signal: null });
    expect(JSON.stringify((await heard(3))[2])).include('finished');
  });

  it('is not started, with a warning, when its input is at its end and clients connect over HTTP', async () => {
    const directory = await edgeDirectory({ 'transport-stdio': true });
    const pegboard = await servePegboard(directory.path);
    pegboard.stdin.end();
    await until(() =>
      pegboard.lines.find(({ text, level }) => level === 'warn' && /standard input has ended/.test(text)),
    );
    expect((await send(`${pegboard.url}/health`)).status).equal(200);
    // Off and on again: the end of input happens only once.
    const text = readFileSync(directory.at('config.yaml'), 'utf8');
    directory.write('config.yaml', text.replace('"transport-stdio":true', '"transport-stdio":false'));
    await until(() => pegboard.lines.some((line) => JSON.stringify(line['actions'] ?? '').includes('stop')));
    directory.write('config.yaml', text);
    await until(
      () => pegboard.lines.filter((line) => /standard input has ended/.test(line.text)).length === 2,
    );
    expect(await within(pegboard.stop())).deep.equal({ code: 0, signal: null });
  });

  it('exits on SIGTERM while its input is open', async () => {
    const { pegboard, say, heard } = await serveStdio();
    say(initializeBody());
    await heard(1);
    expect(await within(pegboard.stop())).deep.equal({ code: 0, signal: null });
  });

  it('refuses a line over its limit and keeps serving', async () => {
    const { say, heard } = await serveStdio({ 'transport-stdio': { config: { maxLineBytes: 1_024 } } });
    say(initializeBody(), callBody('echo', { text: 'x'.repeat(2_000) }), callBody('echo', {}, { id: 2 }));
    const answers = await heard(3);
    expect(answers.map(({ id, error }) => error?.code ?? id)).have.members([0, -32600, 2]);
  });

  it('leaves runs to the next process on its state directory, and not to sessions over HTTP', async () => {
    const steps = [{ id: 'a', tool: 'core_service_list' }];
    const directory = makeDirectory({ 'config.yaml': '', 'workflows/w.yaml': JSON.stringify({ steps }) });
    const ask = async (name: string): Promise<string> => {
      const { pegboard, say, heard } = await serveFrom(directory);
      say(initializeBody(), callBody('call_tool', { name }));
      const [, answer] = await heard(2);
      await pegboard.stop();
      return textOf(answer?.result as unknown as ClientResult);
    };
    const list = 'core_workflow_execution_list';
    expect(await ask('workflow_w')).include('completed');
    expect(await ask(list)).include('"total":1');
    const { url } = await servePegboard(directory.path);
    const client = await McpClient.connect(url);
    expect(textOf(await client.callMeta('call_tool', { name: list }))).include('"total":0');
  });

  it('serves the SDK client', async () => {
    const directory = await edgeDirectory();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [packedProgram(), 'serve', '--config-path', directory.path, '--transport', 'stdio'],
      stderr: 'ignore',
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).include('echo');
    const result = await client.callTool({ name: 'echo', arguments: { a: 1 } });
    expect(result.content).deep.equal([{ type: 'text', text: '{"a":1}' }]);
    await client.close();
  });
});
