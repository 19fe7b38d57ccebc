import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Bus } from '../../kernel/bus.ts';
import type { TapRecord } from '../../kernel/bus.ts';
import { heldTimers } from '../support/heldTimers.ts';
import { gate } from '../support/until.ts';
import { requestOf } from '../support/requests.ts';

const request = requestOf();

function onRequest(owner: string, fn: (argument: never) => unknown, stage = 50): TapRecord {
  return { owner, hook: 'onRequest', stage, fn };
}

describe('Bus', () => {
  it('runs taps by stage, and within a stage in the order of their records', async () => {
    const bus = new Bus();
    const ran: string[] = [];
    const note = (name: string) => () => void ran.push(name);
    bus.replace([
      onRequest('a', note('a50')),
      onRequest('b', note('b10'), 10),
      onRequest('b', note('b50')),
      onRequest('c', note('c20'), 20),
      onRequest('c', note('c10'), 10),
    ]);
    await bus.hooks.onRequest.promise(request);
    expect(ran).to.deep.equal(['b10', 'c10', 'c20', 'a50', 'b50']);
  });

  it('accepts sync and async taps', async () => {
    const bus = new Bus();
    const reply = { status: 204 };
    bus.replace([onRequest('sync', () => undefined), onRequest('async', () => Promise.resolve(reply))]);
    expect(await bus.hooks.onRequest.promise(request)).to.equal(reply);
  });

  it('rejects with what a tap throws, sync or async, and runs no later tap', async () => {
    for (const fail of [
      () => {
        throw new Error('boom');
      },
      () => Promise.reject(new Error('boom')),
    ]) {
      const bus = new Bus();
      let later = 0;
      bus.replace([onRequest('a', fail), onRequest('b', () => void (later += 1))]);
      const error = await bus.hooks.onRequest.promise(request).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(Error).with.property('message', 'boom');
      expect(later).to.equal(0);
    }
  });

  it('awaits a thenable that is not a Promise, and continues with the next tap', async () => {
    const bus = new Bus();
    const refusal = { status: 401 };
    const thenable = { then: (resolve: (value: unknown) => void) => resolve(undefined) };
    bus.replace([onRequest('a', () => thenable), onRequest('guard', () => refusal)]);
    expect(await bus.hooks.onRequest.promise(request)).to.equal(refusal);
  });

  it('continues when a tap answers null, so that no later guard is skipped', async () => {
    const bus = new Bus();
    const refusal = { status: 401 };
    bus.replace([onRequest('sloppy', () => null), onRequest('guard', () => refusal)]);
    expect(await bus.hooks.onRequest.promise(request)).to.equal(refusal);
  });

  it('lets a run under way finish on the taps it began with', async () => {
    const bus = new Bus();
    const ran: string[] = [];
    const { opened, open } = gate();
    bus.replace([
      onRequest('slow', () => opened.then(() => void ran.push('old first'))),
      onRequest('next', () => void ran.push('old second')),
    ]);
    const underWay = bus.hooks.onRequest.promise(request);
    bus.replace([onRequest('new', () => void ran.push('new'))]);
    await bus.hooks.onRequest.promise(request);
    open();
    await underWay;
    expect(ran).to.deep.equal(['new', 'old first', 'old second']);
  });

  it('hands a waterfall value from tap to tap, and keeps it when a tap returns nothing', () => {
    const bus = new Bus();
    const rename = (name: string) => (tool: never) => ({ ...(tool as object), name });
    bus.replace([
      { owner: 'a', hook: 'onToolRegister', stage: 50, fn: rename('renamed') },
      { owner: 'b', hook: 'onToolRegister', stage: 50, fn: () => undefined },
    ]);
    const tool = {
      name: 'x',
      kind: 'tool',
      description: '',
      inputSchema: {},
      invoke: () => undefined as never,
    };
    expect(bus.hooks.onToolRegister.call(tool as never).name).to.equal('renamed');
  });

  it('lists the hooks that have taps', () => {
    const bus = new Bus();
    expect(bus.hooks.onRequest.isUsed()).to.equal(false);
    bus.replace([onRequest('a', () => undefined)]);
    expect(bus.hooks.onRequest.isUsed()).to.equal(true);
    expect(bus.hooks.onCall.isUsed()).to.equal(false);
  });

  it('is drained once the last run on its former hooks has ended', async () => {
    heldTimers();
    const bus = new Bus();
    const { generation: first } = bus;
    first.enter();
    bus.replace([]);
    const { generation: second } = bus;
    second.enter();
    bus.replace([]);
    const draining = watched(bus.drained(5_000));
    second.leave();
    expect(await draining.isOver()).to.equal(false);
    first.leave();
    expect(await draining.isOver()).to.equal(true);
  });

  it('does not wait for runs on the current hooks', async () => {
    heldTimers();
    const bus = new Bus();
    bus.replace([]);
    bus.generation.enter();
    expect(await watched(bus.drained(5_000)).isOver()).to.equal(true);
  });

  it('stops waiting for a run that never ends at the given limit', async () => {
    const timers = heldTimers();
    const bus = new Bus();
    bus.generation.enter();
    bus.replace([]);
    const draining = watched(bus.drained(5_000));
    timers.pass(4_999);
    expect(await draining.isOver()).to.equal(false);
    timers.pass(1);
    expect(await draining.isOver()).to.equal(true);
  });
});

/** Whether a promise has settled, once everything that needs no timer has happened. */
function watched(promise: Promise<unknown>): { readonly isOver: () => Promise<boolean> } {
  let isOver = false;
  void promise.finally(() => (isOver = true));
  return { isOver: () => turn().then(() => isOver) };
}
