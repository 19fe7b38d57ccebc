import { expect } from 'chai';
import { UnaskedFlow } from '../../../../../plugins/upstream/client/wire/unaskedFlow.ts';

/** A budget of ten lines a second, and the reasons why its connection is to be closed. */
function slow() {
  const reasons: string[] = [];
  const flow = new UnaskedFlow(
    () => ({ maxUnaskedPerSecond: 10 }),
    (error) => reasons.push(`${error.code}: ${error.message}`),
  );
  /** How often that may be read before the connection is to be closed. */
  const taken = (lines: number, chars: number): number => {
    let times = 0;
    while (reasons.length === 0 && times < 100_000) {
      flow.took(lines, chars);
      times += 1;
    }
    return times;
  };
  return { flow, reasons, taken };
}

describe('upstream: the budget for unrequested messages', () => {
  it('is two seconds of messages at once, and its end closes the connection once, with the setting', () => {
    const { flow, reasons, taken } = slow();
    expect(taken(1, 0)).to.be.within(21, 22);
    flow.took(1_000, 0);
    expect(reasons).to.deep.equal([
      'UPSTREAM_CLOSED: it sent more than 10 lines a second that answer no call; make it send less, or raise maxUnaskedPerSecond',
    ]);
  });

  it('counts each 4 KiB as another line, and several messages in one line as several', () => {
    expect(slow().taken(1, 16 * 1_024)).to.be.within(5, 6);
    expect(slow().taken(5, 0)).to.be.within(5, 6);
  });

  it('has room for one message of any size', () => {
    const { flow, reasons } = slow();
    flow.took(1, 60_000_000);
    expect(reasons).to.deep.equal([]);
  });

  it('does not count answers', () => {
    expect(slow().taken(0, 1_000_000)).to.equal(100_000);
  });

  it('says when others need a turn between two chunks', () => {
    const { flow } = slow();
    expect(flow.isAhead).to.equal(false);
    flow.took(1, 0);
    expect(flow.isAhead).to.equal(true);
  });

  it('ends with its connection', () => {
    const { flow, taken } = slow();
    flow.end();
    expect(taken(1, 0)).to.equal(100_000);
  });
});
