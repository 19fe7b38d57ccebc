import { expect } from 'chai';
import { splitMessage } from '../../../../plugins/upstream/rpc/splitMessage.ts';
import { StandardError } from '../../../../plugins/upstream/wire/standardError.ts';
import { defer } from '../../../support/cleanup.ts';
import { captureLog } from '../../../support/log.ts';

/** How often `owner[name]` is called from now on. */
function countCalls<Name extends PropertyKey>(
  owner: Record<Name, (...args: never[]) => unknown>,
  name: Name,
): () => number {
  let calls = 0;
  const real = owner[name];
  owner[name] = function (this: unknown, ...args: never[]) {
    calls += 1;
    return real.apply(this, args);
  };
  defer(() => (owner[name] = real));
  return () => calls;
}

describe('upstream: lines of a server that are no messages', () => {
  const limits = { maxLogLineChars: 100, maxLogLinesPerSecond: 20, stderrTailLines: 3 };

  it('are cut and redacted only where somebody gets to see them', () => {
    const log = captureLog();
    const output = new StandardError(log, () => limits);
    output.hide([{ name: 'TOKEN', text: 'very-secret-token' }]);
    const redactions = countCalls(RegExp.prototype, Symbol.replace);
    for (let at = 0; at < 5_000; at += 1) output.noise(`${at} very-secret-token`);
    output.push(Buffer.from('a very-secret-token\n'.repeat(5_000)));
    // A second may end meanwhile, and the next one has lines of its own.
    const told = log.having('server wrote');
    expect(told.length).to.be.within(20, 60);
    expect(redactions()).to.be.below(500);
    expect(output.tail()).to.equal(Array(3).fill('a [redacted]').join('\n'));
  });

  it('are not parsed when they cannot be an object', () => {
    const parsed = countCalls(JSON as unknown as Record<'parse', typeof JSON.parse>, 'parse');
    for (const line of ['garbage', '-1', '"{}"', '}{', '\v{}'])
      expect(splitMessage(line)).to.equal(undefined);
    expect(parsed()).to.equal(0);
    expect(splitMessage(' \t\r\n{}')).to.deep.equal({ message: {} });
  });
});
