import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';

const DEFINITIONS: JsonObject = {
  Mode: { enum: ['auto', '1'], title: 'Mode' },
  Name: { type: 'string' },
  'a/b~c': { type: 'string' },
  Level: { type: 'integer' },
  Levels: { type: 'array', items: { $ref: '#/$defs/Level' } },
  Filter: { type: 'object', properties: {} },
};
/** What, its schema, and for each text the value that is sent: what pydantic and others write. */
const CASES: readonly (readonly [string, JsonObject, readonly (readonly [string, unknown])[]])[] = [
  [
    'a number or a reference',
    { anyOf: [{ type: 'number' }, { $ref: '#/$defs/Mode' }] },
    [
      ['auto', 'auto'],
      ['3', 3],
    ],
  ],
  [
    'a number or anything',
    { anyOf: [{ type: 'number' }, {}] },
    [
      ['auto', 'auto'],
      ['3', 3],
      ['true', true],
    ],
  ],
  [
    'a number or true',
    { anyOf: [{ type: 'number' }, true as unknown as JsonObject] },
    [
      ['auto', 'auto'],
      ['3', 3],
    ],
  ],
  [
    'anything in oneOf',
    { oneOf: [{}, { type: 'integer' }] },
    [
      ['auto', 'auto'],
      ['3', 3],
    ],
  ],
  [
    'a reference to text',
    { $ref: '#/$defs/Name' },
    [
      ['123', '123'],
      ['true', 'true'],
    ],
  ],
  ['a reference with escapes', { $ref: '#/$defs/a~1b~0c' }, [['123', '123']]],
  ['a reference in allOf', { allOf: [{ $ref: '#/$defs/Name' }], default: 'x' }, [['123', '123']]],
  [
    'a reference or null',
    { anyOf: [{ $ref: '#/$defs/Name' }, { type: 'null' }] },
    [
      ['123', '123'],
      ['null', null],
    ],
  ],
  [
    'a reference to a list',
    { $ref: '#/$defs/Levels' },
    [
      ['1,2', [1, 2]],
      ['[1]', [1]],
    ],
  ],
  ['a list of references', { type: 'array', items: { $ref: '#/$defs/Name' } }, [['1,2', ['1', '2']]]],
  ['a reference to an object', { $ref: '#/$defs/Filter' }, [['{"a":1}', { a: 1 }]]],
  ['values that are constants', { oneOf: [{ const: '1' }, { const: '2' }] }, [['1', '1']]],
  [
    'a reference that leads nowhere',
    { $ref: '#/$defs/None' },
    [
      ['auto', 'auto'],
      ['3', 3],
    ],
  ],
  [
    'a reference elsewhere',
    { $ref: 'https://example.com/x.json' },
    [
      ['auto', 'auto'],
      ['3', 3],
    ],
  ],
];

const FAN = { anyOf: Array.from({ length: 50 }, () => ({ $ref: '#/$defs/Fan' })) };
const schemaOf = (a: JsonObject): JsonObject => ({
  type: 'object',
  properties: { a },
  $defs: { ...DEFINITIONS, Fan: FAN },
});
/** Takes minutes if all keys are copied for each reference. */
const MANY_KEYS: JsonObject = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`a${at}`, { $ref: '#/$defs/Many' }]),
  ),
  $defs: {
    Many: {
      $ref: '#/$defs/More',
      ...Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`x${at}`, at])),
    },
    More: { $ref: '#/$defs/Many' },
  },
};
const TOOLS = [
  ...CASES.map(([, property], at) => ({ name: `t${at}`, inputSchema: schemaOf(property) })),
  { name: 'mode', inputSchema: schemaOf({ $ref: '#/$defs/Mode' }) },
  { name: 'fan', inputSchema: schemaOf({ $ref: '#/$defs/Fan' }) },
  { name: 'many', inputSchema: MANY_KEYS },
  { name: 'circle', inputSchema: schemaOf({ $ref: '#/properties/a' }) },
];
/** Says which arguments it was given. */
const SERVER = `
  const answers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } }),
    'tools/list': () => ({ tools: ${JSON.stringify(TOOLS)} }),
    'tools/call': ({ arguments: given }) => ({ content: [{ type: 'text', text: JSON.stringify(given) }] }),
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: (answers[method] ?? (() => ({})))(params) }));
  });`;

describe('cli: arguments whose schema has references and branches', function () {
  this.timeout(60_000);
  let endpoint = '';
  const call = (tool: string, text: string) =>
    typeVerb(['call', `x_echo_${tool}`, `--a=${text}`, '--endpoint', endpoint]);
  before(async () => {
    const echo = { type: 'stdio', command: [process.execPath, '-e', SERVER], autoStart: true };
    endpoint = `${(await serveHere(makeDirectory({ 'mcpservers/echo.yaml': JSON.stringify(echo) }))).url}/mcp`;
    const listed = () => typeVerb(['list', 'tools', '-o', 'name', '--endpoint', endpoint]);
    await until(async () => (await listed()).stdout.includes('x_echo_fan'));
  });

  for (const [at, [what, , cases]] of CASES.entries())
    it(`are typed by ${what}`, async () => {
      for (const [text, value] of cases) {
        const { stdout, stderr } = await call(`t${at}`, text);
        expect(stderr, text).equal('');
        expect(JSON.parse(stdout), text).deep.equal({ a: value });
      }
    });

  it('are refused with the values that a reference lists', async () => {
    expect((await call('mode', 'turbo')).stderr).contain('--a must be one of auto, 1, not turbo');
  });

  it('are sent although references lead in a circle, or fan out', async () => {
    for (const tool of ['fan', 'circle'])
      expect(JSON.parse((await call(tool, 'auto')).stdout), tool).deep.equal({ a: 'auto' });
  });

  it('are completed by the values that a reference lists', async () => {
    const words = ['call', 'x_echo_mode', '--a', ''];
    const { stdout } = await typeVerb(['__complete', '--endpoint', endpoint, '--', ...words], {
      XDG_CACHE_HOME: makeDirectory().path,
    });
    expect(stdout).equal('auto\n1\n');
  });

  it('are completed in time however large their schema is', async () => {
    for (const [tool, offered] of Object.entries({ many: '--a0' })) {
      const start = performance.now();
      const words = ['call', `x_echo_${tool}`, '--a'];
      const { stdout, stderr } = await typeVerb(['__complete', '--endpoint', endpoint, '--', ...words], {
        XDG_CACHE_HOME: makeDirectory().path,
      });
      expect(stdout.split('\n'), `${tool} ${stderr}`).include(offered);
      expect(performance.now() - start, tool).below(5_000);
    }
  });
});
