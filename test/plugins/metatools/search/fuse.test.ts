import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Tool } from '../../../../kernel/index.ts';
import { SearchOrder } from '../../../../plugins/contracts/search.ts';
import type { Search } from '../../../../plugins/contracts/search.ts';
import { toolOf } from '../../../support/kernel.ts';
import { boardOf, namesIn } from '../board.ts';
import type { Answer, Board, BoardOptions } from '../board.ts';

const NAMES = ['invoice_create', 'invoice_list', 'invoice_delete', 'ledger_book', 'payment_send'];
const TOOLS = NAMES.map((name) => toolOf(name, { description: name.replace('_', ' ') }));
const toolsOf = (...names: readonly string[]): readonly Tool[] =>
  names.map((name) => TOOLS.find((tool) => tool.name === name) ?? toolOf(name));
/** A search for which the words alone find three tools. */
const QUERY = 'invoice';

describe('metatools: searches with orders of other plugins', () => {
  const boardWith = (
    orders: readonly (Partial<SearchOrder> & Pick<SearchOrder, 'order'>)[],
    more: BoardOptions = {},
  ): Promise<Board> =>
    boardOf({
      tools: TOOLS,
      ...more,
      provides: [SearchOrder],
      source: (scope) => {
        for (const [at, order] of orders.entries())
          scope.provide(SearchOrder, { name: `order-${at}`, ...order });
      },
    });
  const find = async (board: Board, args = {}): Promise<Answer> =>
    board.ask('filter_tools', { query: QUERY, ...args });
  let lexical: Answer;
  before(async () => {
    lexical = await find(await boardOf({ tools: TOOLS }));
  });

  it('are asked with the words and the tools that the request may see and the filters let through', async () => {
    const asked: Search[] = [];
    const board = await boardWith([{ order: (search) => void asked.push(search) }]);
    await find(board, { pattern: 'invoice_*' });
    expect(asked.map(({ query, tools, request }) => [query, tools.length, request.transport])).deep.equal([
      [QUERY, 3, 'test'],
    ]);
    await board.ask('filter_tools', { pattern: '*' });
    expect(asked).length(1);
  });

  it('are told the parts of a query that may each want a tool', async () => {
    const asked: Search[] = [];
    const board = await boardWith([{ order: (search) => void asked.push(search) }]);
    await find(board);
    await find(board, { query: 'list invoices and send a payment' });
    expect(asked.map(({ clauses }) => clauses)).deep.equal([[], ['list invoices', 'send a payment']]);
  });

  it('weigh less where words alone are confident', async () => {
    const other = toolOf('forecast_get', { description: 'weather' });
    const board = await boardWith([{ order: () => [other] }], { tools: [...TOOLS, other] });
    const rankOf = async (query: string): Promise<number> =>
      namesIn(await find(board, { query, limit: 10 })).indexOf('forecast_get');
    expect(await rankOf(QUERY)).equal(1);
    expect(await rankOf('create invoice')).least(3);
  });

  it('fuse both lists: what both have is before what one has, and what only the order has is shown too', async () => {
    const [first = '', second = '', third = ''] = namesIn(lexical);
    const board = await boardWith([{ order: () => toolsOf('ledger_book', third) }]);
    const answer = await find(board);
    expect(namesIn(answer)).deep.equal([third, first, 'ledger_book', second]);
    expect(answer['total']).equal(4);
    const scores = answer.tools.map(({ score }) => score);
    expect(scores).deep.equal(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).equal(true);
  });

  it('are confident only if they leave the first tool by words, which was judged, the first', async () => {
    const query = 'create invoice';
    const confident = async (...names: readonly string[]): Promise<unknown> => {
      const answer = await find(await boardWith([{ order: () => toolsOf(...names) }]), { query });
      expect('call_tool' in (answer.tools[0] ?? {})).equal(answer['confident']);
      return answer['confident'];
    };
    expect([await confident(), await confident('invoice_create')]).deep.equal([true, true]);
    expect(await confident('invoice_delete', 'invoice_list')).equal(false);
  });

  it('never show a tool twice, or one that the request may not see or the filters leave out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...NAMES, 'hidden')),
        fc.constantFrom('*', 'invoice_*', '*_l*'),
        async (names, pattern) => {
          const board = await boardWith([{ order: () => toolsOf(...names) }]);
          const shown = namesIn(await find(board, { pattern, limit: 50 }));
          expect(shown).deep.equal([...new Set(shown)]);
          const [begin = '', end = ''] = pattern.split('*');
          const isRight = (name: string): boolean =>
            name.includes(begin) && name.includes(end) && NAMES.includes(name);
          expect(shown.every(isRight)).equal(true);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('page through the fused list without losing or repeating a tool', async () => {
    const tools = Array.from({ length: 200 }, (_, at) => toolOf(`invoice_${at}`, { description: 'invoice' }));
    const others = tools.filter((_, at) => at % 7 === 3).toReversed();
    const more = toolOf('ledger_book', { description: 'book' });
    const board = await boardWith([{ order: () => [more, ...others] }], { tools: [...tools, more] });
    const seen: string[] = [];
    for (let offset = 0; offset < 250; offset += 30)
      seen.push(...namesIn(await find(board, { limit: 30, offset })));
    expect(seen[0]).match(/^ledger_book$|^invoice_/);
    expect([...seen].sort()).deep.equal([...tools, more].map(({ name }) => name).sort());
    expect((await find(board))['total']).equal(201);
  });

  it('go on with the words alone when an order fails, has nothing, or comes late', async () => {
    const signals: AbortSignal[] = [];
    const rude = (): never => {
      throw new Error('no');
    };
    const never = (_: Search, signal: AbortSignal): Promise<undefined> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const wrong = (): readonly Tool[] => 'invoice_create' as unknown as readonly Tool[];
    const failing = () => Promise.reject(new Error('no'));
    for (const order of [rude, failing, wrong, () => undefined, () => [], never]) {
      const began = performance.now();
      expect(await find(await boardWith([{ order }]))).deep.equal(lexical);
      expect(performance.now() - began).below(2_000);
    }
    expect(signals.map(({ aborted }) => aborted)).deep.equal([true]);
  });

  it('take the order of one plugin when another one fails or is late', async () => {
    const late = { order: () => new Promise<undefined>(() => undefined) };
    const good = { order: () => Promise.resolve(toolsOf('ledger_book')) };
    const answer = await find(await boardWith([late, good]));
    expect(namesIn(answer)).include('ledger_book');
  });

  it('wait longer for an order that says so', async () => {
    const order = async (): Promise<readonly Tool[]> => {
      await pause(120);
      return toolsOf('ledger_book');
    };
    expect(namesIn(await find(await boardWith([{ order }])))).not.include('ledger_book');
    expect(namesIn(await find(await boardWith([{ order, waitMs: 5_000 }])))).include('ledger_book');
  });
});
