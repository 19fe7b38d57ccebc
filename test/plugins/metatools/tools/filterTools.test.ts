import { expect } from 'chai';
import { validate } from '../../../../kernel/config/validate.ts';
import { plugin } from '../../../../plugins/metatools/index.ts';
import { refusalOf, toolOf } from '../../../support/kernel.ts';
import { turnsDuring } from '../../../support/turns.ts';
import { boardOf, namesIn, serverTool } from '../board.ts';
import type { Board } from '../board.ts';

const TOOLS = [
  serverTool('github', 'create_pull_request', { description: 'Open a new pull request\nIn a repository' }),
  serverTool('github', 'list_issues', { description: 'List issues', annotations: { readOnlyHint: true } }),
  serverTool('kubernetes', 'pods_list', { description: 'List all pods' }),
  serverTool('kubernetes', 'listNodes', { description: 'Shows the machines' }),
  toolOf('workflow_deploy', {
    kind: 'workflow',
    description: 'Deploy an app',
    labels: { team: 'web', level: '3' },
  }),
  toolOf('core_service_list', { kind: 'core', description: 'List all services' }),
];

describe('metatools: filter_tools', () => {
  let board: Board;
  beforeEach(async () => {
    board = await boardOf({ tools: TOOLS });
  });
  const find = async (args: Record<string, unknown>) => namesIn(await board.ask('filter_tools', args));

  it('finds tools by words, best first, without those that do not match', async () => {
    const answer = await board.ask('filter_tools', { query: 'pull requests' });
    expect(answer).to.deep.include({ total: 2, truncated: false });
    expect(answer).not.to.have.any.keys('total_tools', 'filtered_count', 'filters');
    const whole = await board.ask('filter_tools', { query: 'pull requests', include_schema: true });
    expect(whole).to.deep.include({ total: 2, total_tools: 6, filtered_count: 2, truncated: false });
    expect(whole['filters']).to.deep.equal({
      query: 'pull requests',
      case_sensitive: false,
      include_schema: true,
      limit: 5,
      offset: 0,
    });
    const [hit] = answer.tools;
    expect(hit).to.include({ name: 'x_github_create_pull_request', summary: 'Open a new pull request' });
    expect(hit?.score).to.be.greaterThan(0);
    expect(hit?.score).to.equal(Math.round((hit?.score ?? 0) * 10_000) / 10_000);
  });

  it('answers several needs in turn, each with its own tools and confidence', async () => {
    const queries = ['list pods', 'zeppelin', 'create a pull request'];
    const answer = await board.ask('filter_tools', { queries });
    const [pods, pull] = ['x_kubernetes_pods_list', 'x_github_create_pull_request'];
    expect(namesIn(answer).slice(0, 2)).to.deep.equal([pods, pull]);
    expect(new Set(namesIn(answer)).size).to.equal(answer.tools.length);
    expect(answer).to.deep.include({ confident: false, query_unmatched: ['zeppelin'] });
    const needs = answer['needs'] as readonly { query: string; tools: readonly string[] }[];
    expect(needs.map(({ query, tools }) => [query, tools[0]])).to.deep.equal([
      ['list pods', pods],
      ['zeppelin', undefined],
      ['create a pull request', pull],
    ]);
    expect(needs[1]).to.include({ confident: false });
    expect(answer['hint']).to.match(/weak matches only/);
    expect(namesIn(await board.ask('filter_tools', { queries, limit: 1, offset: 1 }))).to.deep.equal([pull]);
  });

  it('refuses queries that are too many, empty, not texts or next to query', async () => {
    for (const [args, text] of [
      [{ queries: Array.from({ length: 9 }, () => 'pods') }, /9 texts; at most 8/],
      [{ queries: ['pods', 7] }, /array of texts/],
      [{ queries: ['pods', ' '] }, /array of texts/],
      [{ queries: 'pods' }, /array of texts/],
      [{ queries: ['pods'], query: 'nodes' }, /exclude each other/],
    ] as const) {
      const refusal = await refusalOf(() => board.call('filter_tools', args));
      expect(refusal).to.include({ code: 'TOOL_ARGUMENTS' });
      expect(refusal.message).to.match(text);
    }
  });

  it('folds plurals and splits camelCase', async () => {
    expect((await find({ query: 'pod' }))[0]).to.equal('x_kubernetes_pods_list');
    expect((await find({ query: 'node' }))[0]).to.equal('x_kubernetes_listNodes');
    expect((await find({ query: 'listPods' }))[0]).to.equal('x_kubernetes_pods_list');
  });

  it('gives common verbs little weight', async () => {
    expect((await find({ query: 'list deploy' }))[0]).to.equal('workflow_deploy');
  });

  it('returns no tools and a hint for a query without matches', async () => {
    for (const query of ['***', 'xyzzy plugh', 'zeppelin']) {
      const answer = await board.ask('filter_tools', { query });
      expect(answer).to.deep.include({ total: 0, tools: [], confident: false });
      expect(answer['hint']).to.match(/no tool matches/);
    }
  });

  it('returns weak matches marked as not confident, and names the words without matches', async () => {
    const answer = await board.ask('filter_tools', { query: 'Unlock the Zeppelins and list issues' });
    expect(answer).to.deep.include({ confident: false, query_unmatched: ['unlock', 'zeppelins'] });
    expect(namesIn(answer)[0]).to.equal('x_github_list_issues');
    expect(answer['hint']).to.match(/weak matches only/);
    const sure = await board.ask('filter_tools', { query: 'list issues' });
    expect(sure).to.include({ confident: true });
    expect(sure).not.to.have.any.keys('hint', 'query_unmatched');
    expect(await board.ask('filter_tools')).not.to.have.any.keys('confident', 'query_unmatched');
  });

  it('reads the beginning of what a server lists without end', async () => {
    const values = Array.from({ length: 200_000 }, (_, at) => `value${at}`);
    const inputSchema = { type: 'object', properties: { kind: { type: 'string', enum: values } } };
    const endless = serverTool('s', 'endless_list', { inputSchema });
    const large = await boardOf({ tools: [endless, ...TOOLS] });
    expect(namesIn(await large.ask('filter_tools', { query: 'endless' }))).to.deep.equal([endless.name]);
    expect(namesIn(await large.ask('filter_tools', { query: 'list all pods' }))[0]).to.match(/pods_list$/);
  });

  it('matches a glob on the whole name, ignoring case unless case_sensitive is set', async () => {
    expect(await find({ pattern: '*LIST*' })).to.have.length(4);
    expect(await find({ pattern: '*list*', case_sensitive: true })).to.have.length(4);
    expect(await find({ pattern: '*LIST*', case_sensitive: true })).to.deep.equal([]);
    expect(await find({ pattern: 'list' })).to.deep.equal([]);
    const refusal = await refusalOf(() => board.call('filter_tools', { pattern: 'x_[a' }));
    expect([refusal.code, refusal.message]).to.satisfy(
      ([code, text]: string[]) => code === 'TOOL_ARGUMENTS' && text?.startsWith('invalid pattern "x_[a"'),
    );
  });

  it('answers at once to a pattern made for catastrophic backtracking', async () => {
    expect(await find({ pattern: `${'*a'.repeat(500)}b` })).to.deep.equal([]);
  });

  it('filters many tools in pieces, shorter ones for an expensive pattern', async () => {
    const long = Array.from({ length: 300 }, (_, at) => serverTool('s', `${'abcdefghij'.repeat(20)}${at}`));
    const large = await boardOf({ tools: long });
    const turns = async (args: Record<string, unknown>): Promise<number> =>
      (await turnsDuring(() => large.ask('filter_tools', args))).count;
    expect(await turns({ pattern: '*[zyxwvutsrqponmlkabcdefghij]'.repeat(65) })).to.be.at.least(50);
    expect(await turns({ pattern: '*abc*' })).to.be.below(10);
  });

  it('rejects arguments that are too long to be matched against every tool', async () => {
    const long = 'a'.repeat(2_001);
    for (const args of [
      { pattern: long },
      { description_filter: long },
      { labels: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, 'v'])) },
    ]) {
      const refusal = await refusalOf(() => board.call('filter_tools', args));
      expect(refusal.message).to.match(/characters; at most 2000 are allowed$/);
    }
    const refusal = await refusalOf(() => board.call('filter_tools', { toolset: [`tool:${long}`] }));
    expect(refusal.message).to.equal(
      'invalid toolset: a selector has 2006 characters; at most 500 are allowed',
    );
  });

  it('can be set to read at most 10,000 characters of a query', async () => {
    const { findings } = validate(plugin.configSchema, { maxQueryChars: 10_001 });
    expect(findings.map(({ message }) => message)).to.deep.equal([
      'maxQueryChars must be at most 10000 (maximum), not 10001',
    ]);
    await board.reconfigure({ config: { maxQueryChars: 10_000 } });
    for (const one of ['\t', '«', '1', 'a ', 'of Aa, '])
      expect(await find({ query: `list issues ${one.repeat(10_000)}`, limit: 1 }), one).to.deep.equal([
        'x_github_list_issues',
      ]);
  });

  it('matches description_filter in the whole description, ignoring case', async () => {
    expect(await find({ description_filter: 'IN A REPOSITORY', case_sensitive: true })).to.deep.equal([
      'x_github_create_pull_request',
    ]);
  });

  it('requires every label, comparing values as text', async () => {
    expect(await find({ labels: { team: 'web', level: 3 } })).to.deep.equal(['workflow_deploy']);
    expect(await find({ labels: { team: 'web', other: '' } })).to.deep.equal([]);
    expect(await find({ labels: { toString: 'x' } })).to.deep.equal([]);
  });

  it('returns schemas and full descriptions unchanged on request', async () => {
    const answer = await board.ask('filter_tools', { pattern: '*pull*', include_schema: true });
    expect(answer.tools).to.deep.equal([
      {
        name: 'x_github_create_pull_request',
        description: 'Open a new pull request\nIn a repository',
        server: 'github',
        kind: 'tool',
        inputSchema: { type: 'object' },
      },
    ]);
  });

  it('rejects arguments of a wrong type by name', async () => {
    const refusals = [
      [{ pattern: 5 }, 'pattern must be a string'],
      [{ query: ['a', 5] }, 'query must be a string'],
      [{ description_filter: true }, 'description_filter must be a string'],
      [{ labels: 'team' }, 'labels must be a JSON object; for example {"team": "web"}'],
      [{ labels: ['team'] }, 'labels must be a JSON object; for example {"team": "web"}'],
      [{ case_sensitive: 'yes' }, 'case_sensitive must be true or false'],
      [{ include_schema: 1 }, 'include_schema must be true or false'],
      [{ include_presets: 'no', toolset: ['preset:full'] }, 'include_presets must be true or false'],
    ] as const;
    for (const [args, message] of refusals) {
      const refusal = await refusalOf(() => board.call('filter_tools', args));
      expect([refusal.code, refusal.message]).to.deep.equal(['TOOL_ARGUMENTS', message]);
    }
  });

  it('ignores the empty values that web forms and strict function calling send for unset arguments', async () => {
    const plain = await board.ask('filter_tools', {});
    const empty = { pattern: '', query: '', description_filter: '', labels: {}, case_sensitive: null };
    expect(await board.ask('filter_tools', { ...empty, limit: null, toolset: null })).to.deep.equal(plain);
    expect(await board.ask('filter_tools', { labels: [], toolset: '', offset: '' })).to.deep.equal(plain);
  });

  it('pages without losing or repeating a tool', async () => {
    const all = await find({ query: 'list', limit: 100 });
    const first = await board.ask('filter_tools', { query: 'list', limit: 2 });
    expect(first).to.deep.include({ total: all.length, truncated: true });
    expect([...namesIn(first), ...(await find({ query: 'list', limit: 98, offset: 2 }))]).to.deep.equal(all);
  });

  it('searches within the toolset argument and reports selectors without matches', async () => {
    const toolset = ['server:github', 'server:gitlab', 'workflow:deploy'];
    const answer = await board.ask('filter_tools', { toolset, query: 'list' });
    expect(namesIn(answer)).to.deep.equal(['x_github_list_issues']);
    expect(answer).to.deep.include({ toolset, toolset_unmatched: ['server:gitlab'], total: 1 });
    expect(answer['presets']).to.deep.include({
      name: 'none',
      description: 'Nothing at all',
      built_in: true,
    });
  });

  it('resolves the argument within the header, never beyond it', async () => {
    const headers = { 'x-service-toolset': 'server:github' };
    const toolset = ['server:kubernetes', 'tool:x_github_list_issues'];
    const answer = await board.ask('filter_tools', { toolset }, { headers });
    expect(namesIn(answer)).to.deep.equal(['x_github_list_issues']);
    expect(answer).to.deep.include({ toolset, toolset_unmatched: ['server:kubernetes'], total_tools: 2 });
    const echoed = await board.ask('filter_tools', {}, { headers });
    expect(echoed).to.deep.include({ toolset: ['server:github'], toolset_unmatched: [] });
    expect(echoed).not.to.have.property('presets');
    expect(await board.ask('list_tools', {}, { headers })).to.deep.include({ toolset: ['server:github'] });
  });

  it('rejects an invalid toolset argument, and an empty one with the advice to omit it', async () => {
    const empty = await refusalOf(() => board.call('filter_tools', { toolset: [] }));
    expect(empty.message).to.equal(
      'invalid toolset: it is empty; leave it out, or name a selector, for example server:github',
    );
    for (const toolset of [[], 'server:github', ['label:a=b'], [5], ['toolset:a'], ['nonsense']]) {
      const refusal = await refusalOf(() => board.call('filter_tools', { toolset }));
      expect(refusal.code).to.equal('TOOL_TOOLSET_INVALID');
    }
  });

  it('does not let hidden tools change scores, totals or spelling', async () => {
    const hidden = Array.from({ length: 50 }, (_, at) =>
      serverTool('secret', `list_isues_${at}`, { description: 'List issues in pods' }),
    );
    const larger = await boardOf({ tools: [...hidden, ...TOOLS] });
    const headers = { 'x-service-toolset': 'server:github,server:kubernetes,workflow:deploy' };
    for (const query of ['list issues', 'isues', 'pods of the cluster', 'deploy']) {
      await larger.ask('filter_tools', { query });
      const narrowed = await larger.ask('filter_tools', { query }, { headers });
      const alone = await board.ask('filter_tools', { query }, { headers });
      expect(narrowed).to.deep.equal(alone);
    }
  });

  it('finds added tools and no removed ones', async () => {
    expect(await find({ query: 'zeppelin' })).to.deep.equal([]);
    const remove = board.kernel.catalogue.add('test', serverTool('air', 'land_zeppelin'));
    expect(await find({ query: 'zeppelin' })).to.deep.equal(['x_air_land_zeppelin']);
    remove();
    expect(await find({ query: 'zeppelin' })).to.deep.equal([]);
  });
});
