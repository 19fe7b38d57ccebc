import { expect } from 'chai';
import fc from 'fast-check';
import { validate } from '../../../kernel/config/validate.ts';
import type { InboundRequest, JsonObject, Plugin } from '../../../kernel/index.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { plugin as metatools } from '../../../plugins/metatools/index.ts';
import { plugin as learned } from '../../../plugins/search-learned/index.ts';
import { plugin as vault } from '../../../plugins/vault-memory/index.ts';
import { makeKernel, pluginOf, toolOf, wantedOf } from '../../support/kernel.ts';
import { factsOf } from '../../support/requests.ts';
import { until } from '../../support/until.ts';

const NAMES = [
  'invoice_create',
  'invoice_list',
  'invoice_delete',
  'invoice_send',
  'invoice_print',
  'ledger_book',
];
const TOOLS = NAMES.map((name) => toolOf(name, { description: name.replace('_', ' ') }));
const source = pluginOf('source', (scope) => {
  for (const tool of TOOLS) scope.addTool(tool);
});
const QUERY = 'invoice of a customer';

describe('search-learned', () => {
  let kernel: Kernel;
  const configured = (plugin: Plugin, config: JsonObject = {}) =>
    [plugin, validate(plugin.configSchema, config).value] as const;
  const move = (config: JsonObject | undefined, from: Kernel = kernel): Promise<unknown> =>
    from.move(
      wantedOf(
        configured(metatools),
        configured(vault),
        source,
        ...(config === undefined ? [] : [configured(learned, config)]),
      ),
    );
  const ask = async (of: Kernel, name: string, args: JsonObject, session = 'me'): Promise<JsonObject> => {
    const request = (await of.gate.open(factsOf())) as InboundRequest;
    const { content } = (
      await of.calls.call(name, args, Object.assign(request, { sessionId: session }))
    ).value();
    const text = String(content[0]?.['text']);
    return text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {};
  };
  const find = async (query = QUERY, session = 'me', of = kernel): Promise<readonly string[]> => {
    const { tools } = await ask(of, 'filter_tools', { query, limit: 50 }, session);
    return (tools as readonly { name: string }[]).map(({ name }) => name);
  };
  /** Searches, then calls. */
  const use = async (name: string, session: string, query = QUERY, of = kernel): Promise<void> => {
    await find(query, session, of);
    await ask(of, 'call_tool', { name }, session);
  };
  const kept = async (): Promise<readonly string[]> =>
    (kernel.registry.get(Vault.id) as Vault).list('search-learned:');

  beforeEach(async () => {
    ({ kernel } = makeKernel());
    await move({ minCalls: 2 });
  });

  it('puts forward what several clients called after such a search, and nothing before', async () => {
    const before = await find();
    const last = before.at(-1) ?? '';
    await use(last, 'ada');
    expect(await find()).deep.equal(before);
    await use(last, 'bob');
    expect((await find())[0]).equal(last);
    expect((await find('the invoices of a customer'))[0]).equal(last);
    expect(await find('invoice')).deep.equal(await find('invoice', 'eve'));
    expect((await find('print an invoice'))[0]).equal('invoice_print');
  });

  it('counts a call of one client once, and none that was not shown, failed or came first', async () => {
    const before = await find();
    for (let at = 0; at < 5; at += 1) await use(before.at(-1) ?? '', 'ada');
    for (const session of ['bob', 'cay', 'dee'])
      await ask(kernel, 'call_tool', { name: 'invoice_print' }, session);
    for (const session of ['bob', 'cay', 'dee']) await use('ledger_book', session, 'delete an invoice');
    expect(await find()).deep.equal(before);
  });

  it('keeps pairs in the vault, without words, arguments or clients, and knows them after a restart', async () => {
    const last = (await find()).at(-1) ?? '';
    for (const session of ['ada', 'bob']) await use(last, session);
    await until(async () => (await kept()).length === 1);
    const store = kernel.registry.get(Vault.id) as Vault;
    const [key = ''] = await kept();
    await until(async () => JSON.stringify(await store.get(key)).includes(`"${last}":2`));
    expect(JSON.stringify([key, await store.get(key)])).not.match(/customer|ada|bob|of\b/);
    await move(undefined);
    expect((await find())[0]).not.equal(last);
    await move({ minCalls: 2 });
    await until(async () => (await find())[0] === last);
  });

  it('remembers as many searches as allowed, in memory and in the vault', async () => {
    await move({ minCalls: 1, maxSearches: 2 });
    const queries = ['create invoice', 'delete invoice', 'send invoice', 'print invoice'];
    const before: (readonly string[])[] = [];
    for (const query of queries) {
      before.push(await find(query));
      await use(before.at(-1)?.at(-1) ?? '', 'ada', query);
    }
    await until(async () => (await kept()).length === 2);
    expect(await find(queries[0])).deep.equal(before[0]);
    expect(await find(queries[3])).not.deep.equal(before[3]);
    await move({ minCalls: 1, maxSearches: 1 });
    await use(before[0]?.at(-1) ?? '', 'bob', queries[0]);
    await until(async () => (await kept()).length === 1);
  });

  it('is explained with the search', async () => {
    const last = (await find()).at(-1) ?? '';
    for (const session of ['ada', 'bob']) await use(last, session);
    const { search } = await ask(kernel, 'explain_tool', { name: last, query: QUERY });
    expect(search).deep.equal({
      query: QUERY,
      rank: 1,
      words: 5,
      orders: [{ name: 'search-learned', rank: 1, why: 'called 2 times after such searches' }],
    });
    const other = await ask(kernel, 'explain_tool', { name: 'ledger_book', query: QUERY });
    expect(other['search']).deep.include({ rank: null, words: null });
    expect(await ask(kernel, 'explain_tool', { name: last })).not.property('search');
    expect(await ask(kernel, 'explain_tool', { name: 'no_such', query: QUERY })).not.property('search');
  });

  it('never moves a first hit out of the first three, whatever is called how often', async () => {
    const [first = ''] = await find();
    const click = fc.tuple(fc.constantFrom(...NAMES), fc.nat({ max: 30 }));
    await fc.assert(
      fc.asyncProperty(fc.array(click, { minLength: 20, maxLength: 60 }), async (clicks) => {
        const { kernel: own } = makeKernel();
        await move({ minCalls: 1 }, own);
        for (const [name, asker] of clicks) await use(name, `s${asker}`, QUERY, own);
        expect((await find(QUERY, 'me', own)).slice(0, 3)).include(first);
        await own.stop();
      }),
      { numRuns: 5 },
    );
  });
});
