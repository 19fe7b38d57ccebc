import { expect } from 'chai';
import type { GatewayError } from '../../../../../kernel/index.ts';
import { FloodWatch } from '../../../../../plugins/upstream/client/wire/floodWatch.ts';
import { defer } from '../../../../support/cleanup.ts';

interface Told {
  readonly flooding: string[];
  readonly flooded: GatewayError[];
}

interface Held {
  readonly heldMs: number;
  readonly everyMs: number;
  readonly floodMs?: number;
}

/** Watches a server that is paused at this rate for two minutes. */
function watch({ heldMs, everyMs, floodMs = 30_000 }: Held): Told {
  const told: Told = { flooding: [], flooded: [] };
  const flood = new FloodWatch(() => ({ maxUnaskedPerSecond: 5_000, floodMs }), {
    flooding: (error) => told.flooding.push(error?.message ?? 'over'),
    flooded: (error) => told.flooded.push(error),
  });
  defer(() => flood.end());
  for (let now = 7_000; now < 127_000 && told.flooded.length === 0; now += everyMs) {
    flood.held(now);
    flood.released(now + heldMs);
  }
  return told;
}

describe('upstream: FloodWatch', () => {
  it('reports a server that is paused most of the time after a second, and ends it after floodMs', () => {
    const { flooding, flooded } = watch({ heldMs: 18, everyMs: 20 });
    expect(flooding).to.deep.equal([
      'it sends more than 5000 lines a second that answer no call and is read no faster than that; make it send less',
    ]);
    expect(flooded.map(({ message, details }) => [message, details.floodedMs])).to.deep.equal([
      [
        'for 30 s it sent more than 5000 lines a second that answer no call; make it send less, or raise maxUnaskedPerSecond',
        30_000,
      ],
    ]);
  });

  it('does not report a server that sends much at once every second', () => {
    expect(watch({ heldMs: 400, everyMs: 1_000 })).to.deep.equal({ flooding: [], flooded: [] });
  });

  it('ends no connection with floodMs 0', () => {
    const { flooding, flooded } = watch({ heldMs: 18, everyMs: 20, floodMs: 0 });
    expect([flooding.length, flooded.length]).to.deep.equal([1, 0]);
  });
});
