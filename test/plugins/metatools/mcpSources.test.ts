import { expect } from 'chai';
import { McpPromptSource, McpResourceSource } from '../../../plugins/contracts/mcp.ts';
import type { ToolResult } from '../../../kernel/contracts/call.ts';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { refusalOf } from '../../support/kernel.ts';
import { boardOf, firstText } from './board.ts';
import type { Board } from './board.ts';

const CONTENTS = {
  contents: [
    { uri: 'file:///a', text: 'one' },
    { uri: 'file:///a', text: 'two' },
    { uri: 'file:///a', blob: 'QUJD' },
  ],
  _meta: { kept: true },
};
const NESTED = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const DEEP_CONTENTS = `{"contents":[{"uri":"file:///deep","text":"shallow","_meta":${NESTED}}]}`;
const DEEP_MESSAGES = `{"messages":[{"role":"user","content":{"type":"text","text":"shallow"}},{"role":"user","content":${NESTED}}]}`;
const resources: McpResourceSource = {
  resources: () => [
    { uri: 'file:///a', name: 'a', title: 'A' },
    { uri: 'file:///b', name: 'b', description: 'B', mimeType: 'text/plain' },
  ],
  templates: () => [{ uriTemplate: 'file:///{name}', name: 'any' }],
  read: (uri) => {
    if (uri === 'file:///a') return Promise.resolve(JSON.stringify(CONTENTS));
    if (uri === 'file:///deep') return Promise.resolve(DEEP_CONTENTS);
    if (uri === 'file:///b')
      return Promise.reject(new GatewayError('UPSTREAM_TIMEOUT', 'server b did not answer'));
    return uri === 'file:///c' ? Promise.reject(new Error('inside')) : undefined;
  },
};
const asked: JsonObject[] = [];
const prompts: McpPromptSource = {
  prompts: () => [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
  get: (name, args) => {
    if (name === 'deep') return Promise.resolve(DEEP_MESSAGES);
    if (name !== 'greet') return undefined;
    asked.push(args);
    const messages = [
      { role: 'user', content: { type: 'text', text: 'hello' } },
      { role: 'user', content: { type: 'image', mimeType: 'image/png', data: 'QUJD' } },
    ];
    return Promise.resolve(JSON.stringify({ description: 'Greets', messages }));
  },
};

describe('metatools: MCP resources and prompts', () => {
  let board: Board;
  beforeEach(async () => {
    board = await boardOf({
      provides: [McpResourceSource, McpPromptSource],
      source: (scope) => {
        scope.provide(McpResourceSource, resources);
        scope.provide(McpPromptSource, prompts);
      },
    });
  });

  it('lists resources, then templates', async () => {
    expect(await board.ask('list_resources')).to.deep.equal([
      { uri: 'file:///a', name: 'a', description: 'a' },
      { uri: 'file:///b', name: 'b', description: 'B', mimeType: 'text/plain' },
      { uriTemplate: 'file:///{name}', name: 'any' },
    ]);
  });

  it('describes a resource, empty fields included', async () => {
    expect(await board.ask('describe_resource', { uri: 'file:///a' })).to.deep.equal({
      uri: 'file:///a',
      name: 'a',
      title: 'A',
      description: '',
      mimeType: '',
    });
  });

  it('reads a resource as text and returns the complete answer as structured content', async () => {
    const result = await board.call('get_resource', { uri: 'file:///a' });
    expect(firstText(result)).to.equal('one\ntwo\n[Binary data: 4 bytes]');
    expect(result.structuredContent).to.deep.equal(CONTENTS);
  });

  it('distinguishes an unknown resource from one that cannot be read', async () => {
    const unknown = await refusalOf(() => board.call('get_resource', { uri: 'file:///aa' }));
    expect(unknown.message).to.match(/^resource not found: file:\/\/\/aa; did you mean file:\/\/\/a/);
    await refusalOf(() => board.call('describe_resource', { uri: 'zzz' }));
    const away = await refusalOf(() => board.call('get_resource', { uri: 'file:///b' }));
    expect(away.code).to.equal('UPSTREAM_TIMEOUT');
    const broken = await refusalOf(() => board.call('get_resource', { uri: 'file:///c' }));
    expect(broken.expose).to.equal(false);
  });

  it('lists, describes and fills in prompts', async () => {
    expect(await board.ask('list_prompts')).to.deep.equal([{ name: 'greet', description: '' }]);
    expect(await board.ask('describe_prompt', { name: 'greet' })).to.deep.equal({
      name: 'greet',
      arguments: [{ name: 'who', required: true }],
      description: '',
    });
    const args = { who: 'Ann', times: 3, loud: true, deep: { a: 1 } };
    const result = await board.call('get_prompt', { name: 'greet', arguments: args });
    expect(JSON.parse(firstText(result))).to.deep.equal([
      { role: 'user', content: { type: 'text', text: 'hello' } },
      { role: 'user', content: { type: 'image', mimeType: 'image/png', dataSize: 4 } },
    ]);
    expect(result.structuredContent).to.deep.include({ description: 'Greets' });
    expect(asked.at(-1)).to.deep.equal({ who: 'Ann', times: '3', loud: 'true', deep: '{"a":1}' });
  });

  it('passes on answers that are nested too deeply to be serialized', async () => {
    const jsonOf = async (name: string, args: JsonObject): Promise<string> =>
      (await board.kernel.calls.call(name, args, await board.open())).json;
    const read = await jsonOf('get_resource', { uri: 'file:///deep' });
    expect(read).to.contain(`"text":"shallow"`).and.contain(`"structuredContent":${DEEP_CONTENTS}`);
    const filled = await jsonOf('get_prompt', { name: 'deep' });
    expect(filled).to.contain(`"structuredContent":${DEEP_MESSAGES}`);
    const [text] = (JSON.parse(filled) as ToolResult).content;
    expect(JSON.parse(String(text?.['text']))).to.deep.equal([
      { role: 'user', content: { type: 'text', text: 'shallow' } },
      'omitted: nested too deeply for JSON text; see structuredContent',
    ]);
  });

  it('rejects an unknown prompt and arguments that are not an object', async () => {
    const unknown = await refusalOf(() => board.call('get_prompt', { name: 'greed' }));
    expect(unknown.message).to.match(/^prompt not found: greed; did you mean greet/);
    const wrong = await refusalOf(() => board.call('get_prompt', { name: 'greet', arguments: 'x' }));
    expect(wrong.message).to.equal(
      'arguments must be a JSON object; describe_prompt names the arguments it takes',
    );
  });

  it('returns lists also inside an object, as structured content must be an object', async () => {
    for (const name of ['resources', 'prompts']) {
      const result = await board.call(`list_${name}`);
      const list = JSON.parse(firstText(result)) as unknown[];
      expect(list).not.to.deep.equal([]);
      expect(JSON.stringify(result.structuredContent)).to.equal(JSON.stringify({ [name]: list }));
    }
  });

  it('reports that there are no resources or prompts', async () => {
    const empty = await boardOf();
    for (const name of ['resources', 'prompts']) {
      const result = await empty.call(`list_${name}`);
      expect(firstText(result)).to.equal(`No ${name} available`);
      expect(result.structuredContent).to.deep.equal({ [name]: [] });
    }
  });
});
