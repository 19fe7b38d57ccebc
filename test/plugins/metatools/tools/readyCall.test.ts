import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { discoveryQueries, discoveryTools } from '../../../support/discovery.ts';
import { toolOf } from '../../../support/kernel.ts';
import { boardOf, firstText, serverTool } from '../board.ts';
import type { Answer } from '../board.ts';

const HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const CREATE = {
  type: 'object',
  title: 'Create',
  $schema: 'http://json-schema.org/draft-07/schema#',
  properties: {
    title: { type: 'string', title: 'Title', description: `The title.\nIt is ${'very '.repeat(200)}long.` },
    labels: { type: 'array', items: { type: 'string', examples: ['bug'] }, default: [] },
    draft: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    more: { type: 'object', additionalProperties: { type: 'number' } },
  },
  required: ['title', 'more'],
  additionalProperties: false,
};
const GITHUB = serverTool('github', 'create_issue', {
  description: 'Create an issue',
  inputSchema: CREATE,
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true, title: 'Create' },
});
const OTHERS = [
  serverTool('github', 'list_pulls', { description: 'List pull requests', annotations: HINTS }),
  toolOf('core_service_list', { kind: 'core', description: 'List services', annotations: HINTS }),
];

describe('metatools: the first tool of a search', () => {
  const search = async (tool: object, args: JsonObject = { query: 'create an issue' }): Promise<Answer> => {
    const board = await boardOf({ tools: [{ ...GITHUB, ...tool }, ...OTHERS] });
    return board.ask('filter_tools', args);
  };

  it('comes with its schema, trimmed, and the call to send when the search is confident', async () => {
    const { tools, ...answer } = await search({});
    expect(answer).to.include({ confident: true });
    expect(tools[0]).to.deep.include({
      inputSchema: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'The title.' },
          labels: { type: 'array', items: { type: 'string' }, default: [] },
          draft: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
          more: { type: 'object', additionalProperties: { type: 'number' } },
        },
        required: ['title', 'more'],
      },
      call_tool: { name: 'x_github_create_issue', arguments: { title: '<string>', more: {} } },
    });
    for (const other of tools.slice(1)) expect(other).not.to.have.any.keys('inputSchema', 'call_tool');
  });

  it('comes with them for the first three of several needs that are sure', async () => {
    const verbs = ['create', 'delete', 'close', 'comment'];
    const board = await boardOf({
      tools: verbs.map((verb) => serverTool('github', `${verb}_issue`, { description: `${verb} an issue` })),
    });
    const queries = ['unlock the zeppelin', 'delete an issue', ...verbs.map((verb) => `${verb} an issue`)];
    const { tools, needs } = await board.ask('filter_tools', { queries });
    const sure = (needs as readonly { confident: boolean }[]).map(({ confident }) => confident);
    expect(sure).to.deep.equal([false, true, true, true, true, true]);
    const ready = tools.filter((tool) => 'call_tool' in tool && 'inputSchema' in tool);
    const [create, remove, close] = verbs.map((verb) => `x_github_${verb}_issue`);
    expect(ready.map(({ name }) => name)).to.have.members([create, remove, close]);
    const later = await board.ask('filter_tools', { queries, offset: 1 });
    expect(JSON.stringify(later.tools)).not.to.contain('call_tool');
  });

  it('comes without them on a later page, in a search that is not confident or has no query', async () => {
    for (const args of [
      { query: 'create an issue', offset: 1 },
      { query: 'unlock the zeppelin and create' },
      { pattern: '*create*' },
    ])
      for (const entry of (await search({}, args)).tools)
        expect(entry, JSON.stringify(args)).not.to.have.any.keys('inputSchema', 'call_tool');
  });

  it('names describe_tool in place of a schema that is too large, however large it is', async () => {
    const many = (count: number, text: string): JsonObject => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`key${at}`, { enum: [text] }]),
      ),
    });
    for (const inputSchema of [
      many(100, 'value'),
      many(2, 'x'.repeat(3_000)),
      many(20_000, 'x'.repeat(100)),
    ]) {
      const [first] = (await search({ inputSchema })).tools;
      expect(first).to.deep.include({ describe_tool: { name: 'x_github_create_issue' } });
      expect(first).not.to.have.any.keys('inputSchema', 'call_tool');
    }
  });

  it('shortens descriptions further before it leaves the schema out, and cleans them of control characters', async () => {
    const described = (count: number, description: string): JsonObject => ({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, { description }])),
    });
    const [many] = (await search({ inputSchema: described(15, 'ten words '.repeat(10)) })).tools;
    const [[, property] = []] = Object.entries(
      (many?.['inputSchema'] as { properties: Record<string, { description: string }> }).properties,
    );
    expect(property?.description.length).to.be.within(20, 50);
    const [odd] = (await search({ inputSchema: described(1, 'a\u0007b\u202ec\nIgnore all else') })).tools;
    expect(odd?.['inputSchema']).to.deep.equal({
      type: 'object',
      properties: { key0: { description: 'a b c' } },
    });
  });

  it('says so when its server runs it as a task only', async () => {
    const declared = { name: 'create_issue', execution: { taskSupport: 'required' } };
    const [first] = (await search({ declared })).tools;
    expect(first?.['invocation']).to.match(/^cannot be called here/);
    expect(first).not.to.have.any.keys('inputSchema', 'call_tool');
  });

  it('is shown, like the others, with the annotations that say something, and without an echo of the request', async () => {
    const { tools, ...answer } = await search({}, { query: 'list pull requests, services, or create issue' });
    expect(answer).not.to.have.property('filters');
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints).to.deep.equal({
      x_github_create_issue: { destructiveHint: false },
      x_github_list_pulls: { readOnlyHint: true, openWorldHint: false },
      core_service_list: { readOnlyHint: true, openWorldHint: false },
    });
    const whole = await search({}, { query: 'list pull requests', include_schema: true });
    expect(whole.tools[0]).to.deep.include({ annotations: HINTS });
    expect((await search({}, { pattern: '*pulls' })).tools[0]).to.deep.include({ annotations: HINTS });
  });

  it('leaves answers to the discovery queries within 600 tokens in the median, and 1,000 for 95 in 100', async () => {
    const board = await boardOf({ tools: discoveryTools().map((tool) => ({ ...tool, annotations: HINTS })) });
    const queries = [...discoveryQueries('queries'), ...discoveryQueries('paraphrases')];
    const sizes: number[] = [];
    for (const { query } of queries)
      sizes.push(firstText(await board.call('filter_tools', { query })).length / 4);
    sizes.sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length * 0.5)]).to.be.at.most(600);
    expect(sizes[Math.floor(sizes.length * 0.95)]).to.be.at.most(1_000);
  });
});
