import { expect } from 'chai';
import type { Scope } from '../../../../kernel/index.ts';
import type { StatelessSink } from '../../../../plugins/contracts/mcp.ts';
import type { StatelessAnswer } from '../../../../plugins/front/stateless/answers.ts';
import { ForwardedCalls } from '../../../../plugins/front/stateless/forwardedCalls.ts';
import { FakeBus } from '../../../support/fakeBus.ts';
import { gate, until } from '../../../support/until.ts';

const REQUEST = {
  text: '{}',
  envelope: { capabilities: {}, client: '', logLevel: undefined, owner: undefined, revision: '2026-07-28' },
  request: 'test-1',
  trace: undefined,
};
const WAITS = { receiptMs: 100, askAgainMs: 20 };

/** Process `a` runs what `b` forwards. @param answer of the run */
function createPair(answer: Promise<StatelessAnswer>) {
  const bus = new FakeBus();
  const log: string[] = [];
  const scopeOf = (own: string) => bus.scopeOf(own) as unknown as Scope<unknown>;
  const run = (forwarded: { readonly text: string }, sink: StatelessSink): Promise<StatelessAnswer> => {
    log.push(`runs ${forwarded.text}`);
    sink.onLeave(() => log.push('cancelled'));
    sink.before('progress');
    return answer;
  };
  new ForwardedCalls(scopeOf('a'), run, WAITS);
  const never = (): Promise<StatelessAnswer> => Promise.reject(new Error('it does not wait here'));
  const calls = new ForwardedCalls(scopeOf('b'), never, WAITS);
  let leave = (): void => undefined;
  const sink = {
    before: (json: string) => log.push(json),
    onLeave: (left: () => void) => (leave = left),
  } as unknown as StatelessSink;
  const forward = (): Promise<StatelessAnswer> => calls.forward('a', { ...REQUEST, caller: undefined }, sink);
  return { bus, log, calls, forward, leave: () => leave() };
}

describe('front, revision 2026-07-28: a request whose call waits in another process', () => {
  it('is recognised by its state', async () => {
    const { calls } = createPair(Promise.resolve({ json: '' }));
    const states = ['a.name', 'b.name', 'name', 7, undefined];
    const found = await Promise.all(states.map((state) => calls.processOf(state)));
    expect(found).deep.equal(['a', undefined, undefined, undefined, undefined]);
  });

  it('is run there, and its client receives the messages and then the answer', async () => {
    const { forward, log } = createPair(Promise.resolve({ json: 'done', refused: 'REQUEST_MALFORMED' }));
    expect(await forward()).include({ json: 'done', refused: 'REQUEST_MALFORMED' });
    expect(log).deep.equal(['runs {}', 'progress']);
  });

  it('is cancelled there when its client leaves', async () => {
    const { forward, leave, log } = createPair(new Promise(() => undefined));
    void forward();
    leave();
    await until(() => log.includes('cancelled'), { what: 'the cancellation' });
  });

  it('may take long, but fails when that process no longer says that it runs', async () => {
    const { opened, open } = gate();
    const { forward } = createPair(opened.then(() => ({ json: 'done' })));
    const late = forward();
    setTimeout(open, 3 * (WAITS.receiptMs + WAITS.askAgainMs));
    expect((await late).json).equal('done');

    const { bus, forward: again } = createPair(new Promise(() => undefined));
    const lost = again().then(
      () => '',
      (error: unknown) => String(error),
    );
    bus.isDeaf = true;
    expect(await lost).contain('the call may have been carried out or not');
  });
});
