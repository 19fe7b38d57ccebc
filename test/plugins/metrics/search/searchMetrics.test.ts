import { expect } from 'chai';
import type { Call, InboundRequest } from '../../../../kernel/index.ts';
import { jsonResult } from '../../../../kernel/index.ts';
import { SearchMetrics } from '../../../../plugins/metrics/search/searchMetrics.ts';
import { toolOf } from '../../../support/kernel.ts';
import { valuesOf } from '../../../support/metrics.ts';
import { requestOf } from '../../../support/requests.ts';

const MINUTE_MS = 60_000;

describe('the hit rate of searches', () => {
  let now: number;
  let searches: SearchMetrics;
  const request = (sessionId?: string): InboundRequest =>
    Object.assign(requestOf(), { sessionId, caller: undefined });
  const ann = request('ann');
  const search = (of: InboundRequest, ...names: readonly string[]): void =>
    searches.take({ type: 'tools.found', request: of, tools: names.map((name) => ({ name })) });
  const call = (of: InboundRequest, name: string, kind: 'meta' | 'workflow' = 'meta'): void => {
    const parent = { tool: toolOf('parent', { kind }), parent: undefined };
    const made = { tool: toolOf(name), request: of, parent } as unknown as Call;
    searches.take({ type: 'call.settled', call: made, ms: 1, outcome: 'ok', result: jsonResult({}) });
  };
  const figures = (): string =>
    ['searches', 'hits'].map((what) => valuesOf(searches.metrics, `pegboard.search.${what}`)['']).join(' ');

  beforeEach(() => {
    now = 0;
    searches = new SearchMetrics(() => now);
  });

  it('counts a search as a hit when a tool that it showed is called', () => {
    search(ann, 'read', 'write');
    expect(figures()).equal('1 0');
    call(ann, 'write');
    expect(figures()).equal('1 1');
  });

  it('counts each search once, however many of its tools are called', () => {
    search(ann, 'read', 'write');
    call(ann, 'read');
    call(ann, 'write');
    expect(figures()).equal('1 1');
  });

  it('takes the newest of several that have shown the tool', () => {
    search(ann, 'read');
    search(ann, 'read');
    call(ann, 'read');
    call(ann, 'read');
    call(ann, 'read');
    expect(figures()).equal('2 2');
  });

  it('counts no call after five minutes, and one just before', () => {
    search(ann, 'read');
    now = 5 * MINUTE_MS + 1;
    call(ann, 'read');
    expect(figures()).equal('1 0');
    search(ann, 'read');
    now += 5 * MINUTE_MS - 1;
    call(ann, 'read');
    expect(figures()).equal('2 1');
  });

  it('counts no call of another session, of a workflow, or of a tool that was not shown', () => {
    search(ann, 'read');
    call(request('bob'), 'read');
    call(ann, 'read', 'workflow');
    call(ann, 'delete');
    expect(figures()).equal('1 0');
    call(ann, 'read');
    expect(figures()).equal('1 1');
  });

  it('counts no search of a client that cannot be recognised, and one with an owner handle', () => {
    search(request(), 'read');
    call(request(), 'read');
    expect(figures()).equal('0 0');
    const owned = Object.assign(request(), { anonymousOwner: 'cay' });
    search(owned, 'read');
    call(owned, 'read');
    expect(figures()).equal('1 1');
  });
});
