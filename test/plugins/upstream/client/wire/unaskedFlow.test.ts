import { expect } from 'chai';
import { LineSplitter } from '../../../../../plugins/kit/text/lineSplitter.ts';
import { gate } from '../../../../support/until.ts';
import { flowOf } from './flow.ts';

const SLOW = { maxUnaskedPerSecond: 10 };

/** Number of consecutive reads before a pause. */
function taken(took: () => boolean): number {
  let times = 1;
  while (took() && times < 100_000) times += 1;
  return times;
}

describe('upstream: the rate of unrequested messages', () => {
  it('is limited to a slice at a time', () => {
    const flow = flowOf(SLOW);
    expect(taken(() => flow.took(1, 0))).to.be.within(10, 11);
  });

  it('counts each KiB as another line, and several messages in one line as several', () => {
    const [long, many] = [flowOf(SLOW), flowOf(SLOW)];
    expect(taken(() => long.took(1, 4 * 1_024))).to.be.within(2, 3);
    expect(taken(() => many.took(5, 0))).to.be.within(2, 3);
  });

  it('does not delay answers', () => {
    const flow = flowOf(SLOW);
    taken(() => flow.took(1, 0));
    expect(taken(() => flow.took(0, 1_000_000))).to.equal(100_000);
  });

  it('lets a reader continue with the next line after the budget has recovered', async () => {
    const flow = flowOf({ unaskedSliceMs: 10 });
    const lines: string[] = [];
    const rounds: number[] = [];
    const { opened, open } = gate();
    const splitter = new LineSplitter(
      () => 1_000_000,
      (line) => {
        lines.push(line);
        return flow.took(1, line.length);
      },
      () => expect.fail(),
    );
    const readOn = (isThrough: boolean): void => {
      rounds.push(lines.length - rounds.reduce((sum, count) => sum + count, 0));
      if (isThrough) open();
      else flow.goOnLater(() => readOn(splitter.goOn()));
    };
    const sent = Array.from({ length: 50 }, (_, at) => `line ${at}`);
    readOn(splitter.push(Buffer.from(`${sent.join('\n')}\n`)));
    expect(lines).to.have.length.below(15);
    await opened;
    expect(lines).to.deep.equal(sent);
    expect(Math.max(...rounds)).to.be.below(15);
  });

  it('ends with its connection, and does not apply to the remains of an ended process', () => {
    const flow = flowOf(SLOW);
    let goesOn = 0;
    taken(() => flow.took(1, 0));
    flow.goOnLater(() => (goesOn += 1));
    flow.end();
    flow.free();
    expect(goesOn).to.equal(1);
    expect(taken(() => flow.took(1, 0))).to.equal(100_000);
  });
});
