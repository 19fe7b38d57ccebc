import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Vault } from '../../plugins/contracts/vault.ts';
import { eventually } from './eventually.ts';
import { startGateway } from './gateway.ts';
import type { PluginEntries, TestGateway } from './gateway.ts';

export interface VaultUnderTest {
  /** Name of the plugin under test. */
  readonly name: string;
  /** The section `plugins` that makes this the one vault. Only the built-in plugins it names run. */
  readonly plugins: PluginEntries;
  /** Whether entries survive the process; without it those tests are skipped. */
  readonly isLasting: boolean;
}

const AWKWARD = {
  text: 'zwei Zeilen\n"quoted": \u2028 \u{1f4cc} \u0000',
  details: { number: 1.5, zero: 0, none: null, truth: false, list: [1, [2, { deep: '' }]] },
  constructor: 'x',
};
const MANY = Array.from({ length: 200 }, (_, at) => `many:${at}`);

/** Requirements on every Vault. Declares a mocha suite. @param make called for every test */
export function vaultContract(make: () => VaultUnderTest | Promise<VaultUnderTest>): void {
  describe('as a vault', () => {
    let directory: string;
    let subject: VaultUnderTest;
    let gateway: TestGateway;
    const vault = (): Vault => gateway.get(Vault);
    const start = async (): Promise<void> => {
      const { plugins } = subject;
      gateway = await startGateway({ directory, plugins, builtIns: Object.keys(plugins) });
    };

    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'pegboard-vault-'));
      subject = await make();
      await start();
    });
    afterEach(async () => {
      await gateway.control.reload();
      await gateway.stop();
      await rm(directory, { recursive: true, force: true });
    });

    it('is empty at first', async () => {
      assert.equal(await vault().get('code:a'), undefined);
      assert.equal(await vault().take('code:a'), undefined);
      assert.equal(await vault().delete('code:a'), false);
      assert.deepEqual(await vault().list(''), []);
    });

    it('returns any JSON value unchanged', async () => {
      for (const value of [AWKWARD, [], {}, null, false, 0, '', 'x'.repeat(200_000)]) {
        await vault().set('note:a', value);
        assert.deepEqual(await vault().get('note:a'), value);
        assert.deepEqual(await vault().take('note:a'), value);
      }
    });

    it('keeps its own copy of a value', async () => {
      const value = { list: [1] };
      const stored = vault().set('note:a', value);
      value.list.push(2);
      await stored;
      ((await vault().get('note:a')) as typeof value).list.push(3);
      assert.deepEqual(await vault().get('note:a'), { list: [1] });
    });

    it('refuses values that are not JSON, and keeps the former value', async () => {
      const circular: Record<string, unknown> = {};
      circular['self'] = circular;
      await vault().set('note:a', 1);
      for (const value of [undefined, circular, () => 1]) {
        await assert.rejects(() => vault().set('note:a', value), { name: 'GatewayError' });
        await assert.rejects(() => vault().putIfAbsent('note:b', value), { name: 'GatewayError' });
        await assert.rejects(() => vault().compareAndSwap('note:a', 1, value), { name: 'GatewayError' });
      }
      assert.equal(await vault().get('note:a'), 1);
      assert.deepEqual(await vault().list(''), ['note:a']);
    });

    it('accepts keys of up to 512 characters of any kind', async () => {
      const ids = ['..', '/etc/x', '__proto__', '\u{1f4cc}', '*?[', '\n', '', 'x'.repeat(507)];
      const keys = ids.map((id) => `note:${id}`);
      for (const key of keys) await vault().set(key, key);
      assert.deepEqual(await vault().list('note:'), [...keys].sort());
      for (const key of keys) assert.equal(await vault().take(key), key);
    });

    it('replaces a value', async () => {
      await vault().set('note:a', 'first');
      await vault().set('note:a', 'second');
      assert.equal(await vault().get('note:a'), 'second');
      assert.deepEqual(await vault().list(''), ['note:a']);
    });

    it('performs the operations on one key in the order they were requested', async () => {
      const writes = Array.from({ length: 20 }, (_, at) => vault().set('note:a', at));
      const taken = vault().take('note:a');
      const [gone, after] = [vault().delete('note:a'), vault().set('note:a', 'after')];
      assert.equal(await taken, 19);
      assert.equal(await gone, false);
      await Promise.all([...writes, after]);
      assert.equal(await vault().get('note:a'), 'after');
    });

    it('gives a value to exactly one of many concurrent takers', async () => {
      for (let round = 0; round < 5; round += 1) {
        await vault().set('code:a', round);
        const taken = await Promise.all(Array.from({ length: 30 }, () => vault().take('code:a')));
        assert.deepEqual(
          taken.filter((value) => value !== undefined),
          [round],
        );
        assert.equal(await vault().get('code:a'), undefined);
      }
    });

    it('creates an absent or expired key for exactly one of many concurrent callers', async () => {
      await vault().set('lock:b', 'expired', 0);
      for (const key of ['lock:a', 'lock:b']) {
        const tries = Array.from({ length: 30 }, (_, at) => vault().putIfAbsent(key, at));
        const created = await Promise.all(tries);
        assert.equal(created.filter(Boolean).length, 1);
        assert.equal(await vault().get(key), created.indexOf(true));
      }
      assert.equal(await vault().putIfAbsent('lock:a', 'other'), false);
      assert.equal(await vault().delete('lock:a'), true);
      assert.equal(await vault().putIfAbsent('lock:a', null), true);
      assert.equal(await vault().putIfAbsent('lock:a', 1), false, 'null is a value');
    });

    it('replaces a value only if it is the expected one, so that no count is lost', async () => {
      assert.equal(await vault().compareAndSwap('count:a', null, 1), false, 'absent is not null');
      assert.deepEqual(await vault().list(''), []);
      await vault().set('count:a', { ...AWKWARD, count: 0 });
      const increment = async (): Promise<void> => {
        for (;;) {
          const value = (await vault().get('count:a')) as { count: number };
          const next = { ...value, count: value.count + 1 };
          if (await vault().compareAndSwap('count:a', value, next)) return;
        }
      };
      await Promise.all(Array.from({ length: 10 }, increment));
      assert.deepEqual(await vault().get('count:a'), { ...AWKWARD, count: 10 });
    });

    it('expires values that were created or replaced on a condition', async () => {
      await vault().putIfAbsent('created:a', 1, 1);
      await vault().set('replaced:a', 1);
      await vault().compareAndSwap('replaced:a', 1, 2, 1);
      await vault().putIfAbsent('gone:a', 1, 0);
      assert.equal(await vault().get('gone:a'), undefined);
      await eventually(async () => (await vault().list('')).length === 0, 'the entries expire');
      assert.equal(await vault().putIfAbsent('created:a', 2), true);
    });

    it('reports success to exactly one of many concurrent deletes', async () => {
      await vault().set('code:a', 1);
      const deleted = await Promise.all(Array.from({ length: 10 }, () => vault().delete('code:a')));
      assert.equal(deleted.filter(Boolean).length, 1);
    });

    it('lists keys by prefix, sorted, and does not read the prefix as a pattern', async () => {
      for (const key of ['b:1', 'a:2', 'a:1', 'a%:1', 'a_:1', 'a*:1', 'ab:1']) await vault().set(key, 1);
      assert.deepEqual(await vault().list('a:'), ['a:1', 'a:2']);
      assert.deepEqual(await vault().list('a*'), ['a*:1']);
      assert.deepEqual(await vault().list('a%'), ['a%:1']);
      assert.equal((await vault().list('')).length, 7);
    });

    it('loses nothing when many write at once', async () => {
      await Promise.all(MANY.map((key) => vault().set(key, { key })));
      assert.deepEqual(await vault().list('many:'), [...MANY].sort());
      const values = await Promise.all(MANY.map((key) => vault().get(key)));
      assert.deepEqual(
        values,
        MANY.map((key) => ({ key })),
      );
    });

    it('drops an entry when it expires, and no other entry', async () => {
      const keys = ['get:a', 'take:a', 'delete:a'];
      for (const key of [...keys, 'renewed:a', 'kept:a']) await vault().set(key, 1, 1);
      await vault().set('renewed:a', 2);
      await vault().set('kept:a', 2, 3600);
      const isOver = async (): Promise<boolean> => (await vault().list('')).length === 2;
      await eventually(isOver, 'the entries expire');
      assert.equal(await vault().get('get:a'), undefined);
      assert.equal(await vault().take('take:a'), undefined);
      assert.equal(await vault().delete('delete:a'), false);
      assert.deepEqual(await vault().list(''), ['kept:a', 'renewed:a']);
    });

    it('treats an entry without time to live as expired', async () => {
      await vault().set('note:a', 1);
      await vault().set('note:a', 2, 0);
      assert.equal(await vault().get('note:a'), undefined);
    });

    it('shows neither keys nor values in the log', async () => {
      await vault().set('code:a-very-secret-id', 'a very secret value');
      await vault().take('code:a-very-secret-id');
      await vault()
        .set('code:a-very-secret-id', () => 'a very secret value')
        .catch(() => undefined);
      assert.ok(!JSON.stringify(gateway.log).includes('very'));
    });

    it('keeps its entries when its new configuration is rejected', async () => {
      await vault().set('note:a', 1);
      const entry = subject.plugins[subject.name];
      const config = { ...(typeof entry === 'object' ? entry.config : {}), 'no such key': true };
      const broken = { ...(typeof entry === 'object' ? entry : {}), config };
      const report = await gateway.configure({ ...subject.plugins, [subject.name]: broken });
      assert.equal(report.applied, false, 'unknown keys are errors: additionalProperties: false');
      assert.equal(await vault().get('note:a'), 1);
    });

    it('says whether its entries survive the process', () => {
      assert.equal(vault().isLasting !== false, subject.isLasting);
    });

    it('drops out when it is switched off and returns when it is switched on, live', async () => {
      await vault().set('note:a', 1);
      const off = Object.fromEntries(Object.keys(subject.plugins).map((name) => [name, false]));
      assert.equal((await gateway.configure(off)).applied, true);
      assert.deepEqual(gateway.all(Vault), []);
      assert.equal((await gateway.configure(subject.plugins)).applied, true);
      assert.equal(await vault().get('note:a'), subject.isLasting ? 1 : undefined);
      await vault().set('note:b', 2);
      assert.equal(await vault().get('note:b'), 2);
    });

    it('refuses no call while it restarts', async () => {
      let isDone = false;
      const written: string[] = [];
      const hammer = async (name: string): Promise<void> => {
        for (let at = 0; !isDone; at += 1) {
          const key = `${name}:${at}`;
          await vault().set(key, at);
          written.push(key);
        }
      };
      const hammering = ['a', 'b', 'c'].map(hammer);
      for (let round = 0; round < 5; round += 1) await gateway.restart(subject.name);
      isDone = true;
      await Promise.all(hammering);
      if (subject.isLasting) assert.deepEqual(await vault().list(''), written.sort());
    });

    it('keeps its entries over a restart, and entries that were taken stay taken', async function () {
      if (!subject.isLasting) return this.skip();
      await vault().set('note:a', AWKWARD);
      await vault().set('note:b', 'old');
      await vault().set('note:b', 'new', 3600);
      await vault().set('code:a', 1);
      await vault().take('code:a');
      await gateway.stop();
      await start();
      assert.deepEqual(await vault().list(''), ['note:a', 'note:b']);
      assert.deepEqual(await vault().get('note:a'), AWKWARD);
      assert.equal(await vault().get('note:b'), 'new');
    });
  });
}
