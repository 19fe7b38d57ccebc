import { expect } from 'chai';
import { GatewayError } from '../../../../../kernel/index.ts';
import { ListingReader } from '../../../../../plugins/upstream/client/conversation/listing.ts';
import type { RpcText } from '../../../../../plugins/upstream/client/rpc/rpcText.ts';
import type { Requests } from '../../../../../plugins/upstream/client/rpc/requests.ts';
import { heldTimers } from '../../../../support/heldTimers.ts';
import { captureLog } from '../../../../support/log.ts';
import { StandardError } from '../../../../../plugins/upstream/client/wire/standardError.ts';

const LIMITS = {
  timeoutMs: 1_000,
  maxListPages: 10,
  maxListItems: 10,
  backoffMaxMs: 1_000,
  backoffFirstMs: 1_000,
  maxRetryAfterMs: 60_000,
  listDebounceMs: 10,
  maxListDebounceMs: 100,
  relistMs: 300_000,
};
const LINES = {
  maxLogLineChars: 100,
  maxLogLinesPerSecond: 10,
  stderrTailLines: 1,
  stderrKeptLines: 10,
  stderrKeptChars: 1_000,
};

describe('upstream: the lists of a server', () => {
  /** How often the tools are listed within the time, by a server that declares this.
   *  @param capabilities of its tools */
  async function readings(withinMs: number, ttlMs: unknown, capabilities: object = {}): Promise<number> {
    const timers = heldTimers();
    let count = 0;
    const ask = (): Promise<string> => {
      count += 1;
      return Promise.resolve(JSON.stringify({ tools: [], ttlMs }));
    };
    const reader = new ListingReader({ ask } as unknown as Requests, {
      limits: () => LIMITS,
      output: new StandardError(captureLog(), () => LINES),
      hears: () => true,
      reread: () => undefined,
    });
    await reader.readAll({ tools: capabilities });
    const first = count;
    timers.pass(withinMs);
    await new Promise(setImmediate);
    reader.stop();
    timers.end();
    return count - first;
  }

  it('are read again when the server considers them outdated, within bounds', async () => {
    expect(await readings(19_999, 20_000)).to.equal(0);
    expect(await readings(20_000, 20_000)).to.equal(1);
    expect(await readings(9_999, 1)).to.equal(0);
    expect(await readings(10_000, 1)).to.equal(1);
    expect(await readings(86_399_999, 1e300)).to.equal(0);
    expect(await readings(86_400_000, 1e300)).to.equal(1);
  });

  it('are read again after relistMs if the server does not say how long they are current', async () => {
    for (const ttlMs of [undefined, 0, -1, '20000', null]) {
      expect(await readings(299_999, ttlMs)).to.equal(0);
      expect(await readings(300_000, ttlMs)).to.equal(1);
    }
  });

  it('are not read again by time if the server announces changes', async () => {
    expect(await readings(86_400_000, 20_000, { listChanged: true })).to.equal(0);
  });

  it('fail a connection whose tools are listed only after a sign-in; other lists may be refused', async () => {
    const readAll = async (refused: string): Promise<GatewayError | undefined> => {
      const timers = heldTimers();
      const ask = ({ method }: RpcText): Promise<string> =>
        method === refused
          ? Promise.reject(new GatewayError('UPSTREAM_AUTH_REQUIRED', 'it requires credentials'))
          : Promise.resolve('{"tools":[],"prompts":[]}');
      const reader = new ListingReader({ ask } as unknown as Requests, {
        limits: () => LIMITS,
        output: new StandardError(captureLog(), () => LINES),
        hears: () => true,
        reread: () => undefined,
      });
      const read = reader.readAll({ tools: {}, prompts: {} });
      return read.finally(() => {
        reader.stop();
        timers.end();
      });
    };
    const refusal = await readAll('tools/list').then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).to.include({ code: 'UPSTREAM_AUTH_REQUIRED' });
    expect(await readAll('prompts/list')).to.include({ code: 'UPSTREAM_AUTH_REQUIRED' });
    expect(await readAll('none')).to.equal(undefined);
  });
});
