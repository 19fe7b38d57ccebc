import { expect } from 'chai';
import { StdioWire } from '../../../../../plugins/upstream/client/wire/stdioWire.ts';
import type { StdioOptions } from '../../../../../plugins/upstream/client/wire/stdioWire.ts';
import type { WireListener } from '../../../../../plugins/upstream/client/wire/wire.ts';
import { until } from '../../support.ts';

/** Reads nothing until it receives a signal; then reports the bytes received, at every line `end`. */
const DEAF = `
let bytes = 0;
process.on('SIGUSR2', () => process.stdin.on('data', (chunk) => {
  bytes += chunk.length;
  if (chunk.toString().endsWith('end\\n')) console.log(bytes);
}));
setInterval(() => undefined, 1000);
console.log('ready');
`;
const nothing = (): void => undefined;

describe('upstream: a server that does not read', () => {
  it('gets no more than maxQueuedBytes of answers while it keeps asking', async () => {
    const heard: string[] = [];
    const listener: WireListener = {
      message: (text) => heard.push(text),
      failed: nothing,
      notTaken: nothing,
      doubted: nothing,
      reopened: nothing,
      closed: nothing,
    };
    const options = {
      command: [process.execPath, '-e', DEAF],
      spawned: { command: [process.execPath, '-e', DEAF], folder: undefined, env: {} },
      watchdog: { add: nothing, remove: nothing },
      output: { push: nothing, tail: () => '', ended: nothing },
      limits: () => ({ maxUnaskedPerSecond: 1_000 }),
      graces: () => ({ stdinGraceMs: 10, termGraceMs: 10 }),
      maxMessageBytes: 1_000,
      maxQueuedBytes: 200_000,
    } as unknown as StdioOptions;
    const wire = new StdioWire(options, listener);
    try {
      await wire.open();
      await until('the server', () => heard.length === 1);
      for (let at = 0; at < 100; at += 1) {
        wire.notify('x'.repeat(100_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
      process.kill(wire.pid ?? 0, 'SIGUSR2');
      await until('the last line', () => {
        if (heard.length === 1) wire.notify('end');
        return heard.length > 1;
      });
      expect(Number(heard[1])).to.be.within(100_000, 1_000_000);
    } finally {
      await wire.close();
    }
  });
});
