import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Plugin } from '../../kernel/contracts/plugin.ts';
import type { Reply } from '../../kernel/contracts/request.ts';
import { isReply } from '../../kernel/contracts/request.ts';
import { GatewayError, messageOf } from '../../kernel/errors.ts';
import { STAGE } from '../../kernel/contracts/stage.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { textResult } from '../../kernel/lib/results.ts';
import { makeKernel, pluginOf, toolOf, wantedOf } from '../support/kernel.ts';
import { factsOf, requestOf } from '../support/requests.ts';
import { gate } from '../support/until.ts';

const CLIENTS = 20;
const denied: Reply = { status: 401 };

/** Refuses callers without a key, in onRequest and onCall. */
const guard: Plugin = pluginOf('guard', (scope) => {
  scope.tap(
    'onRequest',
    (request) => (request.header('key') === undefined ? denied : undefined),
    STAGE.admit,
  );
  scope.tap('onCall', ({ request }) => {
    if (request.header('key') === undefined) throw new GatewayError('REQUEST_FORBIDDEN', 'no key');
    return undefined;
  });
});

/** Like a directory lookup, takes some turns, so that runs are under way at every swap. */
const lookup: Plugin = pluginOf('a-lookup', (scope) => {
  const wait = async (): Promise<undefined> => {
    await turn();
    await turn();
    return undefined;
  };
  scope.tap('onRequest', wait, STAGE.identify);
  scope.tap('onCall', wait, STAGE.identify);
});

const tools: Plugin = pluginOf('tools', (scope) => {
  scope.addTool(toolOf('ask', { kind: 'meta', invoke: async () => (await turn(), textResult('answer')) }));
});

interface Tally {
  served: number;
  refused: number;
  readonly leaked: string[];
  readonly lost: string[];
}

/** Requests with and without a key, gate and call, until `isOver`. */
async function hammer(kernel: Kernel, isOver: () => boolean): Promise<Tally> {
  const tally: Tally = { served: 0, refused: 0, leaked: [], lost: [] };
  const friend = async (): Promise<void> => {
    try {
      const request = await kernel.gate.open(factsOf({ key: '1' }));
      if (isReply(request)) throw new Error(`answered ${request.status}`);
      await kernel.calls.call('ask', {}, request);
      tally.served += 1;
    } catch (error) {
      tally.lost.push(messageOf(error));
    }
  };
  const stranger = async (): Promise<void> => {
    const opened = await kernel.gate.open(factsOf()).catch(() => denied);
    if (!isReply(opened)) tally.leaked.push('request');
    const called = await kernel.calls.call('ask', {}, requestOf()).catch(() => undefined);
    if (called !== undefined) tally.leaked.push('call');
    tally.refused += 1;
  };
  const client = async (run: () => Promise<void>): Promise<void> => {
    while (!isOver()) {
      await run();
      await turn();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at % 2 === 0 ? friend : stranger)));
  return tally;
}

async function hammered(kernel: Kernel, moves: () => Promise<void>): Promise<Tally> {
  let over = false;
  const hammering = hammer(kernel, () => over);
  try {
    await moves();
  } finally {
    over = true;
  }
  return hammering;
}

describe('Kernel under load', () => {
  it('lets no request and no call bypass a guard that restarts ten times, and loses none', async () => {
    const { kernel } = makeKernel();
    await kernel.move(wantedOf(guard, tools));
    const tally = await hammered(kernel, async () => {
      for (let round = 1; round <= 10; round += 1) {
        for (let pause = 0; pause < 10; pause += 1) await turn();
        expect((await kernel.move(wantedOf([guard, round], tools))).get('guard')).to.equal('restart');
      }
    });
    expect(tally.leaked).to.deep.equal([]);
    expect(tally.lost).to.deep.equal([]);
    expect(tally.served).above(10);
    expect(tally.refused).above(10);
  });

  it('loses no request that waits in an earlier tap while a later guard restarts', async () => {
    const { kernel } = makeKernel();
    await kernel.move(wantedOf(lookup, guard, tools));
    const tally = await hammered(kernel, async () => {
      for (let round = 1; round <= 10; round += 1) {
        for (let pause = 0; pause < 5; pause += 1) await turn();
        await kernel.move(wantedOf(lookup, [guard, round], tools));
      }
    });
    expect(tally.leaked).to.deep.equal([]);
    expect(tally.lost).to.deep.equal([]);
    expect(tally.served).above(10);
  });

  it('does not lose a request that has been under way through several moves', async () => {
    const { kernel } = makeKernel();
    const { opened, open } = gate();
    const slow = pluginOf('a-slow', (scope) =>
      scope.tap('onRequest', () => opened.then(() => undefined), STAGE.identify),
    );
    await kernel.move(wantedOf(slow, guard));
    const request = kernel.gate.open(factsOf({ key: '1' }));
    await kernel.move(wantedOf(slow, guard, pluginOf('newcomer')));
    const restarting = kernel.move(wantedOf(slow, [guard, 'changed'], pluginOf('newcomer')));
    await turn();
    open();
    expect(isReply(await request)).to.equal(false);
    await restarting;
  });

  it('loses nothing while the plugin that owns the tools restarts', async () => {
    const { kernel } = makeKernel();
    await kernel.move(wantedOf(lookup, guard, tools));
    const tally = await hammered(kernel, async () => {
      for (let round = 1; round <= 10; round += 1) {
        for (let pause = 0; pause < 5; pause += 1) await turn();
        await kernel.move(wantedOf(lookup, guard, [tools, round]));
      }
    });
    expect(tally.leaked).to.deep.equal([]);
    expect(tally.lost).to.deep.equal([]);
  });

  it('admits known callers at any time while a guard is switched off and on, and strangers only while it is off', async () => {
    const { kernel } = makeKernel();
    await kernel.move(wantedOf(guard, tools));
    let isOff = false;
    const leaks: boolean[] = [];
    const tally = await hammered(kernel, async () => {
      for (let round = 0; round < 10; round += 1) {
        isOff = true;
        await kernel.move(wantedOf(tools));
        await turn();
        const on = kernel.move(wantedOf(guard, tools));
        await on;
        isOff = false;
        const opened = await kernel.gate.open(factsOf());
        leaks.push(!isReply(opened) && !isOff);
      }
    });
    expect(leaks).not.to.include(true);
    expect(tally.lost).to.deep.equal([]);
  });

  it('serves all others while a move fails and is rolled back', async () => {
    const { kernel } = makeKernel();
    const broken = pluginOf('broken', (scope) =>
      scope.onStart(async () => {
        await turn();
        throw new Error('boom');
      }),
    );
    await kernel.move(wantedOf(lookup, guard, tools));
    const tally = await hammered(kernel, async () => {
      for (let round = 0; round < 5; round += 1) {
        await kernel.move(wantedOf(broken, lookup, [guard, round], tools)).catch(() => undefined);
      }
    });
    expect(tally.leaked).to.deep.equal([]);
    expect(tally.lost).to.deep.equal([]);
  });
});
