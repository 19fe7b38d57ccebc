import { expect } from 'chai';
import { readFileSync, statSync } from 'node:fs';
import { GatewayError, rawResult, textResult } from '../../../kernel/index.ts';
import type { Call, JsonObject, Tool } from '../../../kernel/index.ts';
import { listenerUrl, toolsPlugin } from '../../support/edge.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { toolOf } from '../../support/kernel.ts';
import { McpClient } from '../../support/mcpClient.ts';

const BUILT_INS = [
  ...['http', 'front', 'transport-http', 'metatools', 'toolsets', 'limits'],
  ...['store-file', 'core-mcpservers', 'cassettes', 'workflow'],
];
const RAW = '{ "content" : [{"type":"text","text":"\\u0068i"}], "n": 1.0 }';

const OUTER = `
args: { card: { type: string, required: true, sensitive: true }, pin: { type: integer, required: true, sensitive: true } }
steps:
  - { id: one, tool: workflow_inner, args: { text: '{{ .input.card }}', number: '{{ .input.pin }}' } }
`;
const INNER = `
args: { text: { type: string, required: true }, number: { type: integer, required: true } }
steps:
  - { id: one, tool: x_a_mirror, args: { text: 'for {{ .input.text }}', number: '{{ .input.number }}', half: '{{ .input.number }}5' } }
`;

/** A tool of a family as `upstream` brings it. */
function familyOf(...members: readonly Tool[]): Tool {
  const tool = toolOf('x_f_raw', { server: 'f', members });
  return {
    ...tool,
    resolve: ({ instance, ...args }) => {
      const meant = members.find(({ server }) => server === instance);
      if (meant === undefined) throw new GatewayError('TOOL_ARGUMENTS', 'which instance?');
      return { tool: meant, args };
    },
  };
}

/** A tool as `upstream` brings it. */
function served(
  server: string,
  own: string,
  invoke: (args: JsonObject, call: Call) => ReturnType<Tool['invoke']>,
): Tool {
  const declared = { name: own, title: own.toUpperCase(), inputSchema: { type: 'object' } };
  return toolOf(`x_${server}_${own}`, { server, declared, invoke });
}

const TOOLS: readonly Tool[] = [
  served('a', 'raw', () => rawResult(RAW)),
  served('a', 'kept', () => rawResult('{"content":[],"_meta":{"pegboard.dev/replayed":true}}')),
  served('a', 'lines', () => rawResult('{\n "content": []\r\n}')),
  served('a', 'mirror', (args) => rawResult(JSON.stringify({ content: [], structuredContent: args }))),
  served('a', 'deep', () => rawResult(`{"content":${'['.repeat(600)}${']'.repeat(600)}}`)),
  served('a', 'twice', () => rawResult('{"key":"planted-env-4711","content":[],"key":"x"}')),
  served('a', 'broken', () => {
    throw new GatewayError('UPSTREAM_ERROR', 'tool broken of server a failed: no such row', {
      details: { server: 'a', code: -32050, data: { row: 7 } },
    });
  }),
  served('a', 'gone', () => {
    throw new GatewayError('UPSTREAM_CLOSED', 'tool gone of server a was under way');
  }),
  served('b', 'raw', () => rawResult(RAW)),
  familyOf(
    served('f1', 'raw', () => rawResult(RAW)),
    served('f2', 'raw', () => rawResult(RAW)),
  ),
  toolOf('core_own', { kind: 'core', invoke: () => textResult('own') }),
];

describe('cassettes', () => {
  let gateway: Gateway;
  let client: McpClient;
  const configure = (cassettes: unknown, more: JsonObject = {}): string =>
    JSON.stringify({
      aggregator: { port: 0 },
      plugins: {
        tools: { module: './tools.mjs' },
        ...(cassettes === undefined ? {} : { cassettes }),
        ...more,
      },
    });
  const reconfigure = (cassettes: unknown, more: JsonObject = {}) => {
    gateway.directory.write('config.yaml', configure(cassettes, more));
    return gateway.pipeline.reload();
  };
  const call = (name: string, args: JsonObject = {}) =>
    client.request('tools/call', { name: 'call_tool', arguments: { name, arguments: args } });
  const linesOf = (server: string, directory = 'state/cassettes'): readonly string[] =>
    readFileSync(gateway.directory.at(`${directory}/${server}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n');
  /** Recorded into a directory of its own. */
  const recordTo = async (directory: string, more: JsonObject = {}): Promise<void> => {
    const { applied } = await reconfigure({ config: { servers: ['a'], directory, ...more } });
    expect(applied).equal(true);
  };
  const last = (directory: string): string => linesOf('a', directory).at(-1) ?? '';

  before(async () => {
    process.env['PEGBOARD_TEST_PLANTED'] = 'planted-reference-4712';
    const definition = {
      type: 'streamable-http',
      url: 'http://127.0.0.1:9/mcp?api_key=planted%2Dquery-4715',
      headers: {
        Authorization: 'Bearer planted-env-4711',
        B: 'v1 ${env:PEGBOARD_TEST_PLANTED} end',
        C: '${file:secret.txt}',
        D: '${file:nowhere.txt}',
        Digits: '4718471847',
        Signs: 'planted-[(4721$&\\.*',
        'Longer-Key': 'planted-env-4711-longer',
        Region: 'eu-central-1',
        Root: '/srv/notes/work',
      },
    };
    const files = {
      'config.yaml': configure(undefined),
      'state/.keep': '',
      'secret.txt': 'planted-file-4713\n',
      'mcpservers/other.yaml': JSON.stringify(definition),
      'workflows/outer.yaml': OUTER,
      'workflows/inner.yaml': INNER,
      'tools.mjs': moduleOf(toolsPlugin('tools', TOOLS)),
    };
    gateway = await bootGateway({ builtIns: BUILT_INS, files });
    client = await McpClient.connect(listenerUrl(gateway));
  });
  after(() => {
    delete process.env['PEGBOARD_TEST_PLANTED'];
  });

  it('does not run until it is configured', () => {
    expect(gateway.kernel.running.map(({ plugin }) => plugin.name)).not.include('cassettes');
  });

  it('writes a head with the tools as declared, then each call with its result byte for byte', async () => {
    const { actions } = await reconfigure({ config: { servers: ['a'] } });
    expect(actions).include({ cassettes: 'start' });
    await call('x_a_raw', { b: 1, a: [null] });
    await call('x_b_raw');
    await call('core_own');
    const [head = '', line, ...rest] = linesOf('a');
    expect(JSON.parse(head)).deep.equal({
      cassette: 1,
      server: 'a',
      tools: TOOLS.filter(({ server }) => server === 'a').map(({ declared }) => declared),
    });
    expect(line).equal(`{"tool":"raw","arguments":{"b":1,"a":[null]},"result":${RAW}}`);
    expect(rest).deep.equal([]);
    expect(statSync(gateway.directory.at('state/cassettes/a.jsonl')).mode & 0o777).equal(0o600);
    expect(() => linesOf('b')).throw('ENOENT');
  });

  it('writes a call of a family to the cassette of the server that is called', async () => {
    await reconfigure({ config: { servers: ['f?'] } });
    await call('x_f_raw', { instance: 'f2', b: 1 });
    const [head = '', line] = linesOf('f2');
    expect((JSON.parse(head) as JsonObject)['tools']).length(1);
    expect(line).equal(`{"tool":"raw","arguments":{"b":1},"result":${RAW}}`);
    expect(() => linesOf('f1')).throw('ENOENT');
  });

  it('hides the value a reference has when its server connects', async () => {
    await recordTo('state/rotated');
    gateway.directory.write('secret.txt', 'planted-rotated-4713');
    gateway.kernel.emit({ type: 'server.connected', server: 'other', tools: 1, refusedTools: 0, ms: 1 });
    await call('x_a_mirror', { now: 'planted-rotated-4713', before: 'planted-file-4713' });
    expect(last('state/rotated')).contain('"arguments":{"now":"[redacted]","before":"[redacted]"}');
    gateway.directory.write('secret.txt', 'planted-file-4713');
    gateway.kernel.emit({ type: 'server.connected', server: 'other', tools: 1, refusedTools: 0, ms: 1 });
  });

  it('leaves out results that are repeated under an idempotency key', async () => {
    await recordTo('state/kept');
    await call('x_a_kept');
    await call('x_a_raw');
    expect(linesOf('a', 'state/kept').slice(1)).deep.equal([`{"tool":"raw","arguments":{},"result":${RAW}}`]);
  });

  it('writes line separators as a space', async () => {
    await recordTo('state/breaks');
    await call('x_a_lines');
    expect(last('state/breaks')).equal('{"tool":"lines","arguments":{},"result":{  "content": [] }}');
  });

  it('writes an error of the server in its own words, and no error of Pegboard', async () => {
    await recordTo('state/errors');
    await call('x_a_broken');
    await call('x_a_gone');
    await reconfigure(
      { config: { servers: ['a'], directory: 'state/errors' } },
      { limits: { config: { tools: { x_a_raw: { callsPerMinute: 1, burst: 1 } } } } },
    );
    for (let at = 0; at < 2; at += 1) await call('x_a_raw');
    await reconfigure({ config: { servers: ['a'], directory: 'state/errors' } });
    const calls = linesOf('a', 'state/errors').filter((line) => !line.startsWith('{"cassette"'));
    expect(calls).deep.equal([
      '{"tool":"broken","arguments":{},"error":{"code":-32050,"message":"no such row","data":{"row":7}}}',
      `{"tool":"raw","arguments":{},"result":${RAW}}`,
    ]);
  });

  it('hides values of server definitions in arguments and results, texts, keys and numbers', async () => {
    await recordTo('state/secrets', { redact: ['planted-own-\\d+', 'ssn:\\d{3}'] });
    const planted = {
      bearer: 'got Bearer planted-env-4711.',
      half: 'planted-env-4711',
      reference: ['planted-reference-4712'],
      file: { deep: '<planted-file-4713>' },
      query: 'planted-query-4715',
      'planted-query-4715': true,
      digits: 4718471847,
      signs: 'planted-[(4721$&\\.*!',
      longer: 'planted-env-4711-longer!',
      own: 'planted-own-4719 and ssn:123',
      kept: 'v1 end of /srv/notes/work in eu-central-1',
    };
    await call('x_a_mirror', planted);
    const { arguments: args, result } = JSON.parse(last('state/secrets')) as Record<string, JsonObject>;
    expect(args).deep.equal({
      bearer: 'got [redacted].',
      half: '[redacted]',
      reference: ['[redacted]'],
      file: { deep: '<[redacted]>' },
      query: '[redacted]',
      '[redacted]': true,
      digits: '[redacted]',
      signs: '[redacted]!',
      longer: '[redacted]!',
      own: '[redacted] and [redacted]',
      kept: 'v1 end of /srv/notes/work in eu-central-1',
    });
    expect(result?.['structuredContent']).deep.equal(args);
    expect(linesOf('a', 'state/secrets').join('')).not.match(/planted|471847/);
  });

  it('hides sensitive arguments of workflows in the calls of their runs, nested ones too, and in no others', async () => {
    await recordTo('state/sensitive');
    const run = await call('workflow_outer', { card: 'planted/card 4711', pin: 47 });
    expect(run).not.property('isError');
    const { arguments: args, result } = JSON.parse(last('state/sensitive')) as Record<string, JsonObject>;
    expect(args).deep.equal({ text: 'for [redacted]', number: '[redacted]', half: '475' });
    expect(result?.['structuredContent']).deep.equal(args);
    await call('x_a_mirror', { pin: 47 });
    expect(last('state/sensitive')).contain('"arguments":{"pin":47}');
  });

  it('leaves a call out, with one warning, when its secrets cannot be hidden', async () => {
    await recordTo('state/left-out');
    for (const name of ['x_a_twice', 'x_a_twice', 'x_a_deep']) await call(name);
    await call('x_a_raw');
    expect(linesOf('a', 'state/left-out').slice(1)).deep.equal([
      `{"tool":"raw","arguments":{},"result":${RAW}}`,
    ]);
    expect(gateway.log.having('a call could not be recorded', 'warn')).length(1);
  });

  it('hides the values of a changed definition, and the former ones', async () => {
    await recordTo('state/changed');
    const definition = { type: 'stdio', command: ['none'], env: { KEY: 'planted-later-4720' } };
    gateway.directory.write('mcpservers/other.yaml', JSON.stringify(definition));
    await gateway.pipeline.reload();
    await call('x_a_mirror', { now: 'planted-later-4720', before: 'planted-env-4711' });
    expect(last('state/changed')).contain('"arguments":{"now":"[redacted]","before":"[redacted]"}');
  });

  it('stops at the limit with one warning, and continues when it is raised or the file removed', async () => {
    const [directory, file] = ['state/full', gateway.directory.at('state/full/a.jsonl')];
    await recordTo(directory, { maxCassetteBytes: 1_024 });
    for (let at = 0; at < 20; at += 1) await call('x_a_raw', { at });
    const size = statSync(file).size;
    expect(size).within(512, 1_024);
    expect(gateway.log.having('a cassette is full', 'warn')).length(1);
    await recordTo(directory, { maxCassetteBytes: 4_096 });
    await call('x_a_raw', { at: 'raised' });
    expect(last(directory)).contain('raised');
    gateway.directory.remove(`${directory}/a.jsonl`);
    await call('x_a_raw', { at: 'anew' });
    expect(linesOf('a', directory)).length(2);
  });

  it('continues an existing cassette, without the half line of a killed process', async () => {
    gateway.directory.write('state/half/a.jsonl', '{"cassette":1,"server":"a","tools":[]}\n{"tool":"ra');
    await recordTo('state/half');
    await call('x_a_raw');
    const [first, head, line] = linesOf('a', 'state/half');
    expect(first).equal('{"cassette":1,"server":"a","tools":[]}');
    expect(head).match(/^\{"cassette":1,"server":"a","tools":\[\{/);
    expect(line).equal(`{"tool":"raw","arguments":{},"result":${RAW}}`);
  });

  it('warns once when it cannot write, and keeps answering', async () => {
    gateway.directory.write('state/taken', 'a file');
    await recordTo('state/taken');
    const before = gateway.log.having('a call could not be recorded').length;
    for (let at = 0; at < 3; at += 1) expect(await call('x_a_raw')).not.property('isError');
    expect(gateway.log.having('a call could not be recorded')).length(before + 1);
  });

  it('refuses invalid patterns, with the position of each', async () => {
    const { applied, issues } = await reconfigure({ config: { servers: ['[a'], redact: ['(', 'x*'] } });
    expect(applied).equal(false);
    expect(issues.map(({ message }) => message)).deep.equal([
      'plugin cassettes: servers.0 is not a pattern: unterminated character class; * is any run, ? one character',
      'plugin cassettes: redact.0 is not a regular expression: error parsing regexp: missing closing ): `(`; put \\ before a literal special character',
      'plugin cassettes: redact.1 matches the empty text; name at least one character',
    ]);
  });

  it('records all servers when it is switched on without settings', async () => {
    const { actions } = await reconfigure(true);
    expect(actions).include({ cassettes: 'reload' });
    await call('x_b_raw');
    expect(linesOf('b')).length(2);
  });

  it('stops recording when it is removed from the configuration', async () => {
    const { actions } = await reconfigure(undefined);
    expect(actions).include({ cassettes: 'stop' });
    expect(await call('x_a_raw')).not.property('isError');
  });
});
