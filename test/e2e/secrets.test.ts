import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

/** Each is planted in one place; none may appear anywhere else. */
const PLANTED = {
  env: 'planted-env-4711',
  reference: 'planted-reference-4712',
  file: 'planted-file-4713',
  header: 'planted-header-4714',
  query: 'planted-query-4715',
  argument: 'planted argument/4716',
  authorization: 'planted-authorization-4717',
  odd: 'planted/odd+ü 4718',
  pin: '4Q19',
  flag: 'planted-flag-4720',
  path: 'PLANTED4721',
  plain: 'planted4722',
} as const;

/** The secret itself, and as urls, JSON and base64 write it. */
function spellingsOf(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const coded = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, encodeURIComponent(secret), inJson, coded];
}

/** Writes its secrets to stderr in every spelling, and fails its one tool with them. */
const LEAKY = `
import { createInterface } from 'node:readline';
const { KEY, B, C, ODD_SECRET, PIN } = process.env;
const said = [KEY, B, C, ODD_SECRET, ...process.argv.slice(2)];
const coded = (text) => Buffer.from(text).toString('base64');
for (const spelling of [String, encodeURIComponent, coded, JSON.stringify])
  console.error('started with ' + [PIN, ...said].map(spelling).join(' '));
createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const told = said.join(' ') + ' ' + said.map(coded).join(' ');
  const entry = { name: 'leaky', title: told, description: told, uri: 'leaky://one', mimeType: told };
  const inputSchema = { type: 'object', description: told, properties: { key: { default: KEY, enum: said } } };
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} }, instructions: told, serverInfo: { name: told, version: told } }
    : method === 'tools/list' ? { tools: [{ ...entry, name: 'fail', inputSchema }, { name: 'of' + KEY, inputSchema }] }
    : method === 'resources/list' ? { resources: [entry, { name: 'a', uri: 'leaky://' + KEY }] }
    : method === 'resources/templates/list' ? { resourceTemplates: [{ ...entry, uriTemplate: 'leaky://{x}' }] }
    : method === 'prompts/list' ? { prompts: [{ ...entry, arguments: [entry] }] }
    : { content: [{ type: 'text', text: 'refused: ' + JSON.stringify(params.arguments) }], isError: true };
  const message = { level: 'error', logger: told, data: { told, deep: [said] } };
  if (method === 'tools/call') console.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: message }));
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
`;
const WORKFLOW = `
args: { key: { type: string, required: true, sensitive: true } }
steps:
  - id: one
    tool: x_leaky_fail
    args: { key: '{{ .input.key }}', more: ['{{ b64enc .input.key }}', 'k={{ .input.key | urlquery }}', { '{{ .input.key }}': 7 }] }
`;

describe('e2e: planted secrets', () => {
  let directory: Directory;
  let pegboard: Pegboard;
  let remote: string;
  let reached = 0;
  const answers: string[] = [];
  const leaksIn = (text: string): string[] =>
    Object.entries(PLANTED).flatMap(([place, secret]) =>
      spellingsOf(secret).some((spelling) => text.includes(spelling)) ? [place] : [],
    );

  before(async () => {
    // Answers with the headers it received, as careless servers do.
    const mirror = createServer((req, res) => {
      reached += 1;
      res
        .writeHead(500, { 'content-type': 'text/plain' })
        .end(`${String(req.url)} ${JSON.stringify(req.headers)}`);
    });
    await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
    defer(() => new Promise((resolve) => mirror.close(resolve)));
    remote = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/mcp/${PLANTED.path}/x?api_key=${PLANTED.query}&plain=${PLANTED.plain}`;
    directory = makeDirectory({
      'config.yaml': 'plugins: { cassettes: true }\n',
      'leaky.mjs': LEAKY,
      'secret.txt': PLANTED.file,
      'workflows/leaky.yaml': WORKFLOW,
      'mcpservers/remote.yaml': `type: streamable-http\nurl: ${remote}\nheaders: { Authorization: Bearer ${PLANTED.header} }\n`,
    });
    const env = `{ KEY: ${PLANTED.env}, B: '\${env:PLANTED}', C: '\${file:secret.txt}', ODD_SECRET: '${PLANTED.odd}', PIN: ${PLANTED.pin} }`;
    directory.write(
      'mcpservers/leaky.yaml',
      `type: stdio\nautoStart: true\ncommand: [${process.execPath}, ${directory.at('leaky.mjs')}, --api-key, ${PLANTED.flag}]\nenv: ${env}\n`,
    );
    pegboard = await servePegboard(directory.path, ['--log-level', 'debug'], {
      env: { PLANTED: PLANTED.reference },
    });
    const client = await McpClient.connect(pegboard.url, {
      headers: { authorization: `Bearer ${PLANTED.authorization}` },
    });
    const call = async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<void> => {
      answers.push(JSON.stringify(await client.callTool(name, args)));
    };
    await until(() => pegboard.lines.some(({ text }) => text === 'server connected'), {
      what: 'leaky is there',
    });
    await until(() => pegboard.lines.some(({ text }) => text === 'server could not be connected'), {
      what: 'remote fails',
    });
    answers.push(JSON.stringify(await client.callMeta('list_tools')));
    const found = await client.callMeta('filter_tools', { include_schema: true, query: 'fail leaky' });
    answers.push(JSON.stringify(found));
    for (const tool of ['describe_tool', 'explain_tool'])
      answers.push(JSON.stringify(await client.callMeta(tool, { name: 'x_leaky_fail' })));
    for (const tool of ['list_resources', 'list_prompts'])
      answers.push(JSON.stringify(await client.callMeta(tool, {})));
    answers.push(JSON.stringify((await McpClient.connect(pegboard.url)).initialized));
    // A tool may repeat arguments to its caller; the record of the run is visible to others too.
    const run = await client.callTool('workflow_leaky', { key: PLANTED.argument });
    expect(leaksIn(JSON.stringify(run))).deep.equal(['argument']);
    const { execution_id } = JSON.parse(textOf(run)) as { execution_id: string };
    await client.request('logging/setLevel', { level: 'debug' });
    await client.callTool('x_leaky_fail', { key: 'nothing' });
    const logs = client.heard.filter(({ method }) => method === 'notifications/message');
    expect(logs).length(1);
    answers.push(JSON.stringify(logs));
    await call('core_workflow_execution_get', { execution_id });
    for (const name of ['leaky', 'remote']) {
      for (const tool of ['core_mcpserver_get', 'core_service_status']) await call(tool, { name });
      await call('core_mcpserver_update', { name, description: 'changed' });
      await call('core_service_restart', { name });
    }
    await call('core_mcpserver_detect', { url: remote });
    for (const tool of [
      'core_mcpserver_list',
      'core_service_list',
      'core_events',
      'core_config_get',
      'core_workflow_execution_list',
    ])
      await call(tool);
    // The report of a broken definition quotes it.
    directory.replace(
      'mcpservers/remote.yaml',
      `type: streamable-htp\nurl: ${remote}\nheaders: { A: [${PLANTED.header}] }\n`,
    );
    await until(() => pegboard.lines.some(({ text }) => text.includes('"streamable-htp"')), {
      what: 'the broken definition is reported',
    });
  });

  it('were used, and nearly every method and tool was called', () => {
    expect(reached).above(0);
    expect(answers.join()).contain('[redacted]');
    expect(pegboard.lines.map(({ text }) => text).join()).contain('server');
  });

  it('appear in no line of the log, at debug', () => {
    expect(leaksIn(JSON.stringify(pegboard.lines))).deep.equal([]);
  });

  it('appear in no answer', () => {
    expect(answers.filter((answer) => leaksIn(answer).length > 0)).deep.equal([]);
  });

  it('appear in no message of pegboard check', async () => {
    for (const output of ['text', 'json']) {
      const { stdout, stderr } = await runPegboard([
        'check',
        '--config-path',
        directory.path,
        '--output',
        output,
      ]);
      expect(stdout).contain('streamable-htp');
      expect(leaksIn(stdout + stderr)).deep.equal([]);
    }
  });

  it('appear in no file that Pegboard has written', async () => {
    await pegboard.stop();
    const state = directory.at('state');
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.length).above(1);
    expect(files.map(({ name }) => name)).include('leaky.jsonl');
    const leaking = files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((file) => leaksIn(readFileSync(file, 'latin1')).length > 0);
    expect(leaking).deep.equal([]);
  });
});
