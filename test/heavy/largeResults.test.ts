import { expect } from 'chai';
import { edgeDirectory } from '../support/edgeProcess.ts';
import { callBody, callTool, initialize } from '../support/edge.ts';
import { rssMegabytes } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';

const CALLS = 200;
const BYTES = 1_000_000;

describe('e2e: large results', () => {
  it('200 concurrent results of 1 MB arrive whole and do not pile up in memory', async () => {
    const { path } = await edgeDirectory();
    const { url, pid } = await servePegboard(path);
    const origin = url.replace('localhost', '127.0.0.1');
    const handle = await initialize(origin);
    const before = rssMegabytes(pid);
    let peak = before;
    const answers = await Promise.all(
      Array.from({ length: CALLS }, async (_, id) => {
        const { text } = await callTool(origin, handle, callBody('large', { bytes: BYTES }, { id }));
        peak = Math.max(peak, rssMegabytes(pid));
        return text.length > BYTES;
      }),
    );
    expect(answers.every(Boolean)).equal(true);
    expect(peak - before).below((CALLS * BYTES) / 2_000_000);
  }).timeout(30_000);
});
