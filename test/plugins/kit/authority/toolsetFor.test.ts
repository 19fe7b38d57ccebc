import { expect } from 'chai';
import type { Caller, InboundRequest } from '../../../../kernel/contracts/request.ts';
import { toolsetFor } from '../../../../plugins/kit/authority/toolsetFor.ts';
import type { ToolsetFor } from '../../../../plugins/kit/authority/toolsetFor.ts';

const ENTRIES = [
  { groups: ['dev', 'ops'], toolset: ['server:git', 'preset:read-only'] },
  { groups: ['ops'], toolset: ['server:cluster', 'server:git'] },
  { groups: ['*'], toolset: ['tool:x_help_ask'] },
];
const CLOSED = ENTRIES.slice(0, 2);

type Asked = Pick<InboundRequest, 'caller' | 'transport' | 'access'>;

function by(groups: unknown, transport = 'http'): Asked {
  const caller: Caller = { subject: 'ann', claims: groups === undefined ? {} : { groups } };
  return { caller, transport, access: 'caller' };
}
const selectorsOf = (ask: ToolsetFor, groups: unknown): readonly string[] | undefined =>
  ask(by(groups))?.selectors;
const nothing = (transport: string): Asked => ({ caller: undefined, transport, access: 'caller' });

describe('access', () => {
  it('gives a caller the selectors of every entry that names one of its groups, each once', () => {
    const ask = toolsetFor(ENTRIES);
    expect(selectorsOf(ask, ['dev'])).deep.equal(['server:git', 'preset:read-only', 'tool:x_help_ask']);
    expect(selectorsOf(ask, ['guests', 'ops'])).deep.equal([
      ...['server:git', 'preset:read-only', 'server:cluster', 'tool:x_help_ask'],
    ]);
    expect(selectorsOf(ask, 'dev')).deep.equal(['server:git', 'preset:read-only', 'tool:x_help_ask']);
  });

  it('gives "*" to every caller that has signed in, also without groups', () => {
    const ask = toolsetFor(ENTRIES);
    for (const groups of [[], ['guests'], undefined, 7, [7, null], { dev: true }])
      expect(selectorsOf(ask, groups), JSON.stringify(groups)).deep.equal(['tool:x_help_ask']);
  });

  it('compares groups exactly', () => {
    const ask = toolsetFor([{ groups: ['dev*'], toolset: ['preset:full'] }]);
    for (const group of ['dev', 'Dev*', 'developers', 'dev* '])
      expect(ask(by([group]))?.invalid, group).contain('no entry of access');
    expect(ask(by(['dev*']))?.invalid).equal(undefined);
  });

  it('refuses a caller without an entry, and says how many groups it has, not which', () => {
    const ask = toolsetFor(CLOSED);
    expect(ask(by(['secret-project', 'guests']))).deep.equal({
      selectors: ['preset:none'],
      invalid: 'no entry of access in config.yaml names a group of this caller, who has 2 groups',
      remedy: 'the operator can add one of the groups to an entry',
    });
    expect(ask(by(['guests']))?.invalid).match(/has 1 group$/);
    expect(ask(by(undefined))?.invalid).match(/has 0 groups$/);
  });

  it('refuses a caller that has not signed in, but not the local user on stdio, nor a public page', () => {
    const ask = toolsetFor(ENTRIES);
    for (const transport of ['http', 'sse', 'acme'])
      expect(ask(nothing(transport))?.invalid, transport).match(/has not signed in$/);
    expect(ask(nothing('stdio'))).equal(undefined);
    expect(ask({ ...nothing('http'), access: 'public' })).equal(undefined);
    expect(ask(by(['dev'], 'stdio'))?.selectors).length(3);
  });

  it('gives callers of the same entries one object, which the toolset layer compiles once', () => {
    const ask = toolsetFor(ENTRIES);
    expect(ask(by(['dev', 'a']))).equal(ask(by(['b', 'dev'])));
    expect(ask(by(['dev']))).not.equal(ask(by(['ops'])));
  });
});
