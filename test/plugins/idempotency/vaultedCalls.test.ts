import { expect } from 'chai';
import { GatewayError, rawResult, textResult } from '../../../kernel/index.ts';
import type { Call, CallResult, JsonObject, Scope, Tool } from '../../../kernel/index.ts';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { Channel, Peers } from '../../../plugins/contracts/processes.ts';
import type { Subscriber } from '../../../plugins/contracts/processes.ts';
import type { IdempotencyConfig } from '../../../plugins/idempotency/config.ts';
import { VaultedCalls } from '../../../plugins/idempotency/vaultedCalls.ts';
import { MemoryVault } from '../../../plugins/vault-memory/memoryVault.ts';
import { refusalOf, toolOf } from '../../support/kernel.ts';
import { captureLog } from '../../support/log.ts';
import { requestOf } from '../../support/requests.ts';
import { gate, until } from '../../support/until.ts';

const ROOM = { maxEntries: 100, maxBytes: 1_000_000, maxValueBytes: 100_000, sweepMs: 1_000 };
const CONFIG = { keepSeconds: 60, maxKeys: 10, maxResultBytes: 1_000, busyRetrySeconds: 2 };
const SERVERS = toolOf('x_a_pay', { server: 'a' });

describe('idempotency', () => {
  let now = 0;
  let runs = 0;
  let vault: Vault;
  beforeEach(() => {
    now = 0;
    runs = 0;
    vault = new MemoryVault(
      () => ROOM,
      () => now,
    );
  });

  function callsOn(
    vaults: readonly Vault[],
    change: Partial<IdempotencyConfig> = {},
    { peers = [], channels = [] }: { peers?: readonly Peers[]; channels?: readonly Channel[] } = {},
  ) {
    const log = captureLog();
    const all = ({ id }: { id: string }) =>
      ({ [Vault.id]: vaults, [Peers.id]: peers, [Channel.id]: channels })[id] ?? [];
    const find = (one: { id: string }) => all(one)[0];
    const scope = { config: { ...CONFIG, ...change }, all, find, log };
    const calls = new VaultedCalls(scope as unknown as Scope<IdempotencyConfig>, () => now);
    return { calls, log };
  }
  function callOf(args: JsonObject = {}, tool: Tool = SERVERS): Call {
    return { tool, args, request: requestOf() } as unknown as Call;
  }
  function inSession(sessionId: string | undefined, remoteAddress?: string): Call {
    const from = remoteAddress === undefined ? {} : { remoteAddress };
    return { ...callOf(), request: { ...requestOf(), ...from, sessionId } };
  }
  const pay = (): Promise<CallResult> => {
    runs += 1;
    return Promise.resolve(textResult(`paid ${runs}`));
  };

  it('repeats a result byte for byte, except for the mark in _meta', async () => {
    const { calls } = callsOn([vault]);
    const json = '{ "content": [],\n "big": 12345678901234567890, "_meta": { "a": 1.0 } }';
    await calls.run('k', callOf(), () => Promise.resolve(rawResult(json)));
    expect((await calls.run('k', callOf(), pay)).json).equal(
      json.replace('{ "a": 1.0 }', '{ "a": 1.0 ,"pegboard.dev/replayed":true}'),
    );
    expect(runs).equal(0);
  });

  it('counts calls with a key by outcome', async () => {
    const { calls } = callsOn([vault]);
    const { opened, open } = gate();
    const first = calls.run('k', callOf(), () => opened.then(pay));
    expect((await refusalOf(() => calls.run('k', callOf(), pay))).code).equal('TOOL_KEY_BUSY');
    open();
    await first;
    await calls.run('k', callOf(), pay);
    await refusalOf(() => calls.run('k', callOf({ other: 1 }), pay));
    const counted = [...calls.counts.samples()].map(({ labels, value }) => [labels?.['outcome'], value]);
    expect(Object.fromEntries(counted)).deep.equal({ new: 1, busy: 1, replayed: 1, reused: 1 });
  });

  it('recognises a key until it expires', async () => {
    const { calls } = callsOn([vault]);
    await calls.run('k', callOf(), pay);
    now = 59_999;
    expect((await calls.run('k', callOf(), pay)).json)
      .include('paid 1')
      .and.include('replayed');
    now = 60_000;
    expect((await calls.run('k', callOf(), pay)).json).equal(textResult('paid 2').json);
  });

  it('keeps keys of two sessions apart, and each key without a session for one call only', async () => {
    const { calls } = callsOn([vault]);
    for (const session of ['one', 'two', undefined, undefined, 'one'])
      await calls.run('order-1', inSession(session), pay);
    expect(runs).equal(4);
  });

  const NOT_RECORDED = 'x_a_pay has not run: its idempotency key cannot be recorded: ';
  const REMEDY = '; let some expire or raise plugins.idempotency.config.maxKeys';

  it('refuses new keys at the limit, rather than forgetting one', async () => {
    const { calls } = callsOn([vault], { maxKeys: 2 });
    for (const session of ['one', 'two']) await calls.run('a', inSession(session), pay);
    const refusal = await refusalOf(() => calls.run('a', inSession('three'), pay));
    expect(refusal).include({
      code: 'STORE_FORBIDDEN',
      message: `${NOT_RECORDED}2 keys are stored already${REMEDY}`,
    });
    expect((await calls.run('a', inSession('one'), pay)).json).include('replayed');
    now = 60_000;
    await calls.run('a', inSession('three'), pay);
    expect(runs).equal(3);
  });

  it('limits an owner to a share of the keys, so that others always find room', async () => {
    const { calls } = callsOn([vault]);
    const taken = async (session: string | undefined, address = '192.0.2.1'): Promise<number> => {
      for (let count = 0; ; count += 1) {
        const call = inSession(session, address);
        const error = await calls.run(`key-${count}`, call, pay).then(
          () => undefined,
          (thrown: unknown) => thrown as Error,
        );
        if (error !== undefined) refusals.push(error.message);
        if (error !== undefined || count > 20) return count;
      }
    };
    const refusals: string[] = [];
    expect(await taken('one')).equal(5);
    expect(await taken('two')).equal(3);
    // Each of them is an owner of its own, but all have one address.
    expect(await taken(undefined)).equal(1);
    expect(await taken(undefined, '192.0.2.2')).equal(1);
    expect(refusals).deep.equal([
      `${NOT_RECORDED}this caller has 5 of at most 10 keys, and the rest (5) is reserved for others${REMEDY}`,
      `${NOT_RECORDED}this caller has 3 of at most 10 keys, and the rest (2) is reserved for others${REMEDY}`,
      `${NOT_RECORDED}this caller has 1 of at most 10 keys, and the rest (1) is reserved for others${REMEDY}`,
      `${NOT_RECORDED}10 keys are stored already${REMEDY}`,
    ]);
    expect((await calls.run('key-4', inSession('one'), pay)).json).include('replayed');
  });

  it('counts keys of former processes to no owner, and leaves room beside them too', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await callsOn([vault]).calls.run(key, inSession('one'), pay);
    const { calls } = callsOn([vault]);
    for (const key of ['e', 'f', 'g']) await calls.run(key, inSession('one'), pay);
    expect((await refusalOf(() => calls.run('h', inSession('one'), pay))).message).include(
      'has 3 of at most 10 keys',
    );
    expect((await calls.run('a', inSession('one'), pay)).json).include('replayed');
    await calls.run('a', inSession('two'), pay);
  });

  it('frees room for calls that have not run, and for keys that have expired', async () => {
    const { calls } = callsOn([vault]);
    const away = (): Promise<CallResult> => Promise.reject(new GatewayError('UPSTREAM_UNREACHABLE', 'away'));
    for (let at = 0; at < 50; at += 1)
      expect(await refusalOf(() => calls.run(`k${at}`, callOf(), away))).include({
        code: 'UPSTREAM_UNREACHABLE',
      });
    for (let at = 0; at < 5; at += 1) await calls.run(`k${at}`, callOf(), pay);
    await refusalOf(() => calls.run('more', callOf(), pay));
    now = 60_000;
    for (let at = 0; at < 5; at += 1) await calls.run(`again${at}`, callOf(), pay);
  });

  it('scans the keys of the vault at most once a second, however often it refuses', async () => {
    let lists = 0;
    const counting: Vault = {
      ...broken(vault, () => false),
      list: (prefix) => {
        lists += 1;
        return vault.list(prefix);
      },
    };
    const { calls } = callsOn([counting]);
    for (let at = 0; at < 5; at += 1) await calls.run(`k${at}`, callOf(), pay);
    for (let at = 0; at < 100; at += 1) await refusalOf(() => calls.run('more', callOf(), pay));
    expect(lists).equal(1);
    now = 1_000;
    for (let at = 0; at < 100; at += 1) await refusalOf(() => calls.run('more', callOf(), pay));
    expect(lists).equal(2);
  });

  it('runs nothing without a vault, or with one that is not writable', async () => {
    expect(await refusalOf(() => callsOn([]).calls.run('k', callOf(), pay))).include({
      code: 'STORE_UNREACHABLE',
      message:
        'there is no vault that stores idempotency keys; enable a plugin that provides Vault, or call without a key',
    });
    const { calls } = callsOn([broken(vault, () => true)]);
    const refusal = await refusalOf(() => calls.run('k', callOf(), pay));
    expect(refusal).include({ code: 'STORE_UNREACHABLE' });
    expect(refusal.message).equal(
      'x_a_pay has not run: its idempotency key cannot be recorded: the disk is full',
    );
    expect(runs).equal(0);
  });

  it('answers a call whose outcome could not be stored, and afterwards reports only that it may have run', async () => {
    const { calls, log } = callsOn([broken(vault, (value) => 'outcome' in value)]);
    expect((await calls.run('k', callOf(), pay)).json).include('paid 1');
    expect(log.records.map(({ text }) => text)).deep.equal(['outcome of a keyed call could not be stored']);
    expect(await refusalOf(() => calls.run('k', callOf(), pay))).include({ code: 'TOOL_OUTCOME_UNKNOWN' });
    expect(runs).equal(1);
    const counted = [...calls.counts.samples()].map(({ labels, value }) => [labels?.['outcome'], value]);
    expect(counted).deep.include(['unknown', 1]);
  });

  it('releases the key when the tool has certainly not run', async () => {
    const { calls } = callsOn([vault]);
    const workflow = toolOf('workflow_pay', { kind: 'workflow' });
    const failures: readonly (readonly [Tool, GatewayError])[] = [
      [SERVERS, new GatewayError('UPSTREAM_UNREACHABLE', 'away')],
      [SERVERS, new GatewayError('UPSTREAM_SUSPENDED', 'stopped')],
      [SERVERS, new GatewayError('UPSTREAM_TIMEOUT', 'not sent', { details: { mayHaveRun: false } })],
      [SERVERS, new GatewayError('UPSTREAM_ERROR', 'open this first', { details: { code: -32042 } })],
      [workflow, new GatewayError('WORKFLOW_BUSY', 'later')],
    ];
    for (const [at, [tool, error]] of failures.entries()) {
      const fail = (): Promise<CallResult> => Promise.reject(error);
      expect(await refusalOf(() => calls.run(`k${at}`, callOf({}, tool), fail))).equal(error);
      expect((await calls.run(`k${at}`, callOf({}, tool), pay)).json, error.code).not.include('replayed');
    }
  });

  it('repeats the error when the tool may have run', async () => {
    const { calls } = callsOn([vault], { maxKeys: 100 });
    // An error thrown by a plugin's tool may originate in the second of two tools that it called.
    const composed = toolOf('pay_all');
    const failures: readonly (readonly [Tool, GatewayError])[] = [
      [SERVERS, new GatewayError('UPSTREAM_CLOSED', 'cut', { details: { server: 'a' } })],
      [SERVERS, new GatewayError('UPSTREAM_TIMEOUT', 'late')],
      [SERVERS, new GatewayError('TOOL_CANCELLED', 'given up')],
      [SERVERS, new GatewayError('UPSTREAM_UNREACHABLE', 'HTTP 504', { details: { mayHaveRun: true } })],
      [SERVERS, new GatewayError('PLUGIN_TAP', 'hidden', { expose: false })],
      [composed, new GatewayError('UPSTREAM_UNREACHABLE', 'away')],
    ];
    for (const [at, [tool, error]] of failures.entries()) {
      const { code, message, details, expose } = error;
      const fail = (): Promise<CallResult> => Promise.reject(error);
      for (const run of [fail, pay])
        expect(await refusalOf(() => calls.run(`k${at}`, callOf({}, tool), run))).deep.include({
          code,
          message,
          details,
          expose,
        });
    }
    const bug = (): Promise<CallResult> => Promise.reject(new Error('a bug'));
    await calls.run('bug', callOf(), bug).catch(() => undefined);
    expect(await refusalOf(() => calls.run('bug', callOf(), pay))).include({
      code: 'PLUGIN_TAP',
      expose: false,
    });
    expect(runs).equal(0);
  });

  it('considers arguments equal in any order of their keys, and not otherwise', async () => {
    const { calls } = callsOn([vault]);
    const args = { a: [1, { x: 1, y: null }], b: {} };
    await calls.run('k', callOf(args), pay);
    await calls.run('k', callOf({ b: {}, a: [1, { y: null, x: 1 }] }), pay);
    const others = [{ ...args, b: [] }, { ...args, a: [{ x: 1, y: null }, 1] }, { a: args.a }, {}];
    for (const other of others)
      expect(await refusalOf(() => calls.run('k', callOf(other), pay))).include({ code: 'TOOL_KEY_REUSED' });
    await calls.run('pairs', callOf({ a: { b: 1 } }), pay);
    const refusal = await refusalOf(() => calls.run('pairs', callOf({ a: [['b', 1]] }), pay));
    expect(refusal).include({ code: 'TOOL_KEY_REUSED' });
  });

  it('runs a call once if two processes with one vault receive its new key at the same instant', async () => {
    const processes = [callsOn([vault]), callsOn([vault]), callsOn([vault])];
    const settled = await Promise.allSettled(
      processes.map(({ calls }) => calls.run('k', callOf({ a: 1 }), pay)),
    );
    expect(runs).equal(1);
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as GatewayError] : []));
    expect(refused.map(({ code }) => code)).deep.equal(['TOOL_KEY_BUSY', 'TOOL_KEY_BUSY']);
    for (const { calls } of processes)
      expect((await calls.run('k', callOf({ a: 1 }), pay)).json).include('replayed');
  });

  it('refuses a key as busy while another process that lives runs its call, then repeats the outcome', async () => {
    const alive = new Set(['a', 'b']);
    const processOf = (own: string): Peers => ({ own, isAlive: (id) => Promise.resolve(alive.has(id)) });
    const [a, b] = ['a', 'b'].map((own) => callsOn([vault], {}, { peers: [processOf(own)] }).calls);
    const { opened, open } = gate();
    const first = a?.run('k', callOf(), () => opened.then(pay));
    await until(async () => (await vault.list('')).length > 0);
    const again = (): Promise<unknown> => Promise.resolve(b?.run('k', callOf(), pay));
    const busy = await refusalOf(again);
    expect(busy).deep.include({ code: 'TOOL_KEY_BUSY', details: { retryAfter: 2 } });
    expect(await refusalOf(() => Promise.resolve(b?.run('k', callOf({ x: 1 }), pay)))).include({
      code: 'TOOL_KEY_REUSED',
    });
    alive.delete('a');
    expect(await refusalOf(again)).include({ code: 'TOOL_OUTCOME_UNKNOWN' });
    open();
    await first;
    expect(await again())
      .nested.property('json')
      .include('replayed');
    expect(runs).equal(1);
  });

  it('stores an outcome that could not be stored when another process asks for it', async () => {
    const processOf = (own: string): Peers => ({ own, isAlive: () => Promise.resolve(true) });
    let isAway = false;
    const a = callsOn([broken(vault, () => isAway)], {}, { peers: [processOf('a')] }).calls;
    let ask: Subscriber | undefined;
    a.answerOthers({
      publish: () => undefined,
      subscribe: (_, subscriber) => {
        ask = subscriber;
        return () => undefined;
      },
    });
    const channel: Channel = {
      publish: (_, message) => ask?.message(message),
      subscribe: () => () => undefined,
    };
    const b = callsOn([vault], {}, { peers: [processOf('b')], channels: [channel] }).calls;
    await a.run('k', callOf(), () => {
      isAway = true;
      return pay();
    });
    isAway = false;
    expect(await refusalOf(() => b.run('k', callOf(), pay))).include({ code: 'TOOL_KEY_BUSY' });
    expect((await b.run('k', callOf(), pay)).json)
      .include('paid 1')
      .and.include('replayed');
    expect(runs).equal(1);
  });

  it('frees a key whose begin was stored although the vault reported a failure', async () => {
    const peers = ['a', 'b'].map((own): Peers => ({ own, isAlive: () => Promise.resolve(true) }));
    let isLate = true;
    const slow: Vault = {
      ...broken(vault, () => false),
      putIfAbsent: async (...of) => {
        const isNew = await vault.putIfAbsent(...of);
        if (isLate) throw new GatewayError('STORE_UNREACHABLE', 'no answer');
        return isNew;
      },
    };
    const a = callsOn([slow], {}, { peers: peers.slice(0, 1) }).calls;
    const b = callsOn([vault], {}, { peers: peers.slice(1) }).calls;
    for (const key of ['k', 'l'])
      expect(await refusalOf(() => a.run(key, callOf(), pay))).include({ code: 'STORE_UNREACHABLE' });
    expect(runs).equal(0);
    isLate = false;
    expect((await a.run('k', callOf(), pay)).json).equal(textResult('paid 1').json);
    await until(async () => (await vault.list('')).length === 1);
    expect((await b.run('l', callOf(), pay)).json).equal(textResult('paid 2').json);
    expect((await a.run('l', callOf(), pay)).json).include('replayed');
  });

  it('writes neither keys nor arguments into the vault', async () => {
    const { calls } = callsOn([vault]);
    await calls.run('the-key', callOf({ card: '4711' }), pay);
    const [id = ''] = await vault.list('');
    expect(id).match(/^idempotency:[\w-]{43}$/);
    expect(JSON.stringify(await vault.get(id)))
      .not.include('4711')
      .and.not.include('the-key');
  });
});

/** Refuses the writes for which `isRefused` is true. */
function broken(vault: Vault, isRefused: (value: object) => boolean): Vault {
  const unless = <T>(value: unknown, write: () => Promise<T>): Promise<T> =>
    isRefused(value as object)
      ? Promise.reject(new GatewayError('STORE_UNREACHABLE', 'the disk is full'))
      : write();
  return {
    get: (key) => vault.get(key),
    take: (key) => vault.take(key),
    delete: (key) => vault.delete(key),
    list: (prefix) => vault.list(prefix),
    set: (key, value, ttl) => unless(value, () => vault.set(key, value, ttl)),
    putIfAbsent: (key, value, ttl) => unless(value, () => vault.putIfAbsent(key, value, ttl)),
    compareAndSwap: (key, expected, value, ttl) =>
      unless(value, () => vault.compareAndSwap(key, expected, value, ttl)),
  };
}
