import { expect } from 'chai';
import { SURFACES, actionWords, readAction } from '../../../../plugins/kit/faults/action.ts';
import type { Action } from '../../../../plugins/kit/faults/action.ts';

/** One of each; the type makes sure that none is missing. */
const ALL: { readonly [K in Action['do']]: Extract<Action, { readonly do: K }> } = {
  start: { do: 'start', server: 'files' },
  restart: { do: 'restart', server: 'files' },
  stop: { do: 'stop', server: 'files' },
  edit: { do: 'edit', server: 'files', what: 'set url' },
  mend: { do: 'mend', server: 'files' },
  change: { do: 'change', kind: 'server', name: 'files' },
  reach: { do: 'reach', server: 'files' },
  define: { do: 'define', server: 'files' },
  authorize: { do: 'authorize', server: 'files', tokens: true },
  signIn: { do: 'signIn', server: 'files' },
  trust: { do: 'trust', server: 'files' },
  set: { do: 'set', key: 'aggregator.port', to: '8091' },
  list: { do: 'list', kind: 'servers' },
  explain: { do: 'explain', kind: 'workflow', name: 'nightly' },
  find: { do: 'find', query: 'read file' },
  call: { do: 'call', tool: 'acme_reset' },
  say: { do: 'say', what: 'plug it in' },
};
const OF_AGENTS = /core_[a-z]|filter_tools|list_tools|call_tool/;

describe('an action', () => {
  for (const [name, action] of Object.entries(ALL))
    it(`${name} has words for each surface, and those of an agent for agents alone`, () => {
      for (const surface of SURFACES) {
        const words = actionWords(action, surface);
        expect(words, surface)
          .match(/^\S.*\S$/)
          .and.not.match(/undefined|\[object/);
        if (surface !== 'agent') expect(words, surface).not.match(OF_AGENTS);
      }
    });

  it('names what it is about, quoted for the shell where that is needed', () => {
    expect(actionWords(ALL.start, 'shell')).equal('pegboard start files');
    expect(actionWords({ do: 'start', server: "a'b; rm -rf ~" }, 'shell')).equal(
      `pegboard start 'a'\\''b; rm -rf ~'`,
    );
    expect(actionWords({ do: 'find', query: 'a $(b)' }, 'shell')).equal(`pegboard search a '$(b)'`);
    expect(actionWords({ do: 'edit', what: 'set url' }, 'shell')).equal(
      'pegboard edit server SERVER   # set url',
    );
  });

  it('is a command that a shell takes as it stands, with all else behind a #', () => {
    const typed = (action: Action): string => actionWords(action, 'shell');
    expect(typed({ do: 'edit', server: 'gh', what: 'set url\nrm -rf ~' })).equal(
      'pegboard edit server gh   # set url rm -rf ~',
    );
    expect(typed(ALL.mend)).match(/^pegboard check {3}# /);
    expect(typed(ALL.define)).match(/^pegboard list tools {3}# /);
    expect(typed(ALL.authorize)).match(/^pegboard edit server files {3}# set headers: /);
    expect(typed({ do: 'start', server: '-x' })).equal('pegboard start -- -x');
    expect(typed({ do: 'find', query: 'a  b -c' })).equal('pegboard search -- a b -c');
    const named = { do: 'change', kind: 'server', name: '$(id)' } as const;
    expect(actionWords(named, 'status')).equal("kubectl edit mcpserver '$(id)'");
    for (const name of ['start', 'restart', 'stop', 'edit', 'mend', 'reach', 'define', 'authorize', 'signIn'])
      expect(typed({ do: name, what: 'set url' } as unknown as Action), name).not.match(/[<>]/);
  });

  it('is read from data that has all it needs, and from no other', () => {
    for (const action of Object.values(ALL)) expect(readAction({ ...action })).deep.equal(action);
    for (const other of [
      undefined,
      'start',
      { do: 'explode' },
      { do: 'constructor' },
      { do: 'edit', server: 'files' },
      { do: 'list', kind: 'toString' },
      { do: 'start', server: { toString: 1 } },
      { do: 'say', what: 4 },
    ])
      expect(readAction(other), JSON.stringify(other)).equal(undefined);
  });
});
