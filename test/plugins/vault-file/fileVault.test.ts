import { expect } from 'chai';
import fc from 'fast-check';
import { refusalOf } from '../../support/kernel.ts';
import { gate } from '../../support/until.ts';
import { contentOf, openVault, testDisk } from './support.ts';

interface Asked {
  readonly op: 'take' | 'delete' | 'get';
  readonly key: string;
}
type Step =
  | {
      readonly op: 'set';
      readonly key: string;
      readonly value: fc.JsonValue;
      readonly ttl?: number | undefined;
    }
  | Asked
  | { readonly op: 'wait'; readonly seconds: number }
  | { readonly op: 'sweep' | 'reopen' | 'list' };

const key = fc.constantFrom('a:1', 'a:2', 'b:1', 'b:\ud800', 'b:\udc00', 'c:\u{1f4cc}');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('set' as const),
      key,
      value: fc.jsonValue(),
      ttl: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constantFrom('take' as const, 'delete' as const, 'get' as const), key }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 10 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constantFrom('sweep' as const, 'reopen' as const, 'list' as const) }),
  },
);

/** Model of a vault: a map whose entries expire. */
class Model {
  readonly entries = new Map<string, { readonly json: string; readonly expiresAt: number }>();
  now = 1_000_000;
  get(of: string): unknown {
    const entry = this.entries.get(of);
    return entry !== undefined && entry.expiresAt > this.now
      ? (JSON.parse(entry.json) as unknown)
      : undefined;
  }
  keys(): readonly string[] {
    return [...this.entries.keys()].filter((one) => this.get(one) !== undefined).sort();
  }
}

describe('plugins/vault-file: vault', () => {
  it('behaves as a map for any operations, over restarts and compactions', async () => {
    const run = async (steps: readonly Step[]): Promise<void> => {
      const model = new Model();
      const disk = testDisk();
      const open = () => openVault({ disk, now: () => model.now, limits: { compactGarbageBytes: 300 } });
      let { vault, sealed } = await open();
      for (const one of steps) {
        if (one.op === 'wait') model.now += one.seconds * 1000;
        else if (one.op === 'sweep') vault.sweep();
        else if (one.op === 'list') expect(await vault.list('')).to.deep.equal(model.keys());
        else if (one.op === 'reopen') {
          await sealed.close();
          ({ vault, sealed } = await open());
        } else if (one.op === 'set') {
          await vault.set(one.key, one.value, one.ttl);
          const expiresAt = model.now + (one.ttl ?? Infinity) * 1000;
          model.entries.set(one.key, { json: JSON.stringify(one.value), expiresAt });
        } else if ('key' in one) {
          const expected = model.get(one.key);
          const given = await vault[one.op](one.key);
          expect(given).to.deep.equal(one.op === 'delete' ? expected !== undefined : expected);
          if (one.op !== 'get') model.entries.delete(one.key);
        }
      }
      await sealed.close();
      ({ vault, sealed } = await open());
      const expected = Object.fromEntries(model.keys().map((one) => [one, model.get(one)]));
      expect(await contentOf(vault)).to.deep.equal(expected);
      await sealed.close();
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), run), { numRuns: 150 });
  });

  it('answers many concurrent operations as if they had been sequential', async () => {
    const run = async (steps: readonly Step[]): Promise<void> => {
      const { vault, sealed } = await openVault({ limits: { compactGarbageBytes: 300 } });
      const model = new Map<string, unknown>();
      const checks = steps.map(async (one) => {
        if (one.op === 'set') {
          model.set(one.key, JSON.parse(JSON.stringify(one.value)));
          await vault.set(one.key, one.value);
        } else if (one.op === 'take' || one.op === 'delete') {
          const had = model.get(one.key);
          const expected = one.op === 'take' ? had : model.has(one.key);
          model.delete(one.key);
          expect(await vault[one.op](one.key)).to.deep.equal(expected);
        }
      });
      await Promise.all(checks);
      const sorted = Object.fromEntries([...model].sort(([a], [b]) => (a < b ? -1 : 1)));
      expect(await contentOf(vault)).to.deep.equal(sorted);
      await sealed.close();
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), run), { numRuns: 100 });
  });

  it('acknowledges a write after the sync of its batch, shows it no earlier, and shares the sync', async () => {
    const disk = testDisk();
    const { vault } = await openVault({ disk });
    const { opened, open } = gate();
    let syncs = 0;
    disk.before = async (what) => {
      if (what !== 'sync') return;
      syncs += 1;
      await opened;
    };
    let acknowledged = 0;
    const writes = Array.from({ length: 50 }, (_, at) =>
      vault.set(`a:${at}`, at).then(() => (acknowledged += 1)),
    );
    const seen = vault.get('a:7');
    await new Promise(setImmediate);
    expect(acknowledged).to.equal(0);
    expect(await vault.list('')).to.deep.equal([]);
    open();
    expect(await seen).to.equal(7);
    await Promise.all(writes);
    expect(syncs).to.equal(1);
  });

  it('refuses the write that the disk refuses, keeps the former value, and writes again when it can', async () => {
    const disk = testDisk();
    const { vault, sealed } = await openVault({ disk });
    await vault.set('a:1', 'before');
    for (const failing of ['write', 'sync'] as const) {
      disk.before = (what) => {
        if (what === failing) throw new Error('ENOSPC: no space left on device');
      };
      const refusal = await refusalOf(() => vault.set('a:1', 'refused'));
      expect(refusal.code).to.equal('STORE_UNREACHABLE');
      expect(refusal.message).to.contain('no space left');
      expect((await refusalOf(() => vault.take('a:1'))).code).to.equal('STORE_UNREACHABLE');
      expect(await vault.get('a:1')).to.equal('before');
      disk.before = () => undefined;
      await vault.set(`a:${failing}`, 'after');
    }
    await sealed.close();
    const again = await openVault({ disk });
    expect(await contentOf(again.vault)).to.deep.equal({
      'a:1': 'before',
      'a:sync': 'after',
      'a:write': 'after',
    });
    expect(again.log.records).to.deep.equal([]);
  });

  it('enforces each of its limits, naming the setting, and frees expired entries', async () => {
    let now = 0;
    const limits = { maxEntries: 2, maxValueBytes: 100, maxBytes: 400 };
    const { vault } = await openVault({ limits, now: () => now });
    const refused = async (work: Promise<void>): Promise<string> => {
      const { code, message } = await refusalOf(() => work);
      return `${code} ${/\w+$/.exec(message)?.[0] ?? ''}`;
    };
    expect(await refused(vault.set('a:1', 'x'.repeat(100)))).to.equal('STORE_FORBIDDEN maxValueBytes');
    await Promise.all([vault.set('a:1', 1, 10), vault.set('a:2', 2)]);
    expect(await refused(vault.set('a:3', 3))).to.equal('STORE_FORBIDDEN maxEntries');
    await vault.set('a:2', 'replaced');
    now = 10_000;
    await vault.set('a:3', 3);
    expect(await vault.list('')).to.deep.equal(['a:2', 'a:3']);
    const heavy = await openVault({ limits: { maxBytes: 400 } });
    await heavy.vault.set('a:1', 'x'.repeat(300));
    expect(await refused(heavy.vault.set('a:2', 'x'.repeat(300)))).to.equal('STORE_FORBIDDEN maxBytes');
  });

  it('refuses writes beyond those that may wait for the disk', async () => {
    const { vault } = await openVault({ limits: { maxPendingBytes: 200 } });
    const writes = ['a:1', 'a:2', 'a:3'].map((one) => vault.set(one, 'x'.repeat(100)));
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'rejected']);
    await vault.set('a:2', 'x'.repeat(100));
  });

  it('refuses keys without a character or with over 512, and a time that is not a number', async () => {
    const { vault } = await openVault();
    for (const bad of ['', 'x'.repeat(513)]) {
      expect((await refusalOf(() => vault.set(bad, 1))).code).to.equal('STORE_FORBIDDEN');
    }
    expect((await refusalOf(() => vault.set('a:1', 1, NaN))).code).to.equal('STORE_FORBIDDEN');
  });
});
