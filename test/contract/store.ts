import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGatewayError } from '../../kernel/index.ts';
import { ResourceStore } from '../../plugins/contracts/definitions.ts';
import type { StoredDefinition } from '../../plugins/contracts/definitions.ts';
import type { ErrorCode } from '../../kernel/index.ts';
import { eventually } from './eventually.ts';
import { fixture } from './fixture.ts';
import { startGateway } from './gateway.ts';
import type { PluginEntries, TestGateway } from './gateway.ts';

export interface StoreUnderTest {
  /** The section `plugins` that makes this the one store. Only the built-in plugins it names run: `live-reload`, too, if the
   *  store keeps files in the configuration directory and leaves it to that plugin to notice changes. */
  readonly plugins: PluginEntries;
  /** Writes a definition as another process would; without it that test is skipped.
   *  @param directory the configuration directory */
  changeOutside?(directory: string, kind: string, definition: StoredDefinition): Promise<void>;
}

const AWKWARD = {
  text: 'zwei Zeilen\n"quoted": \u2028 \u{1f4cc} ${env:HOME} #no comment',
  details: { on: 'yes', number: 1.5, zero: 0, none: null, truth: false, list: [1, [2, { deep: '' }]] },
};

/** Requirements on every ResourceStore. Declares a mocha suite.
 *  @param make called for every test; each test has a new configuration directory, so paths should be relative to it */
export function storeContract(make: () => StoreUnderTest | Promise<StoreUnderTest>): void {
  describe('as a definition store', () => {
    let directory: string;
    let subject: StoreUnderTest;
    let gateway: TestGateway;
    const store = (): ResourceStore => gateway.get(ResourceStore);
    const start = async (): Promise<void> => {
      const plugins = { 'contract-notes': fixture('notes'), ...subject.plugins };
      gateway = await startGateway({ directory, plugins, builtIns: Object.keys(plugins) });
    };
    const inForce = (kind = 'Note'): readonly string[] =>
      gateway.control
        .resources(kind)
        .map(({ name }) => name)
        .sort();

    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'pegboard-store-'));
      subject = await make();
      await start();
    });
    afterEach(async () => {
      await gateway.stop();
      await rm(directory, { recursive: true, force: true });
    });

    it('names the kind of store it is', () => {
      assert.match(store().mode, /^\S+$/);
    });

    it('is empty at first', async () => {
      assert.deepEqual(await store().list('Note'), []);
      assert.equal(await store().get('Note', 'one'), undefined);
    });

    it('returns what was created, value by value', async () => {
      const definition = { name: 'one', labels: { team: 'blue' }, spec: AWKWARD };
      await store().create('Note', definition);
      assert.deepEqual(plain(await store().get('Note', 'one')), definition);
      assert.deepEqual(plain(await store().list('Note')), [definition]);
    });

    it('keeps kinds apart', async () => {
      await store().create('Note', note('one', 'a note'));
      await store().create('Memo', note('one', 'a memo'));
      await store().delete('Note', 'one');
      assert.equal((await store().get('Memo', 'one'))?.spec['text'], 'a memo');
    });

    it('refuses to create a definition that exists, and leaves it unchanged', async () => {
      await store().create('Note', note('one', 'first'));
      await refuses('STORE_CONFLICT', () => store().create('Note', note('one', 'second')));
      assert.equal((await store().get('Note', 'one'))?.spec['text'], 'first');
    });

    it('replaces the whole spec and keeps the labels', async () => {
      await store().create('Note', { name: 'one', labels: { team: 'blue' }, spec: AWKWARD });
      await store().replace('Note', note('one', 'new'));
      const expected = { name: 'one', labels: { team: 'blue' }, spec: { text: 'new' } };
      assert.deepEqual(plain(await store().get('Note', 'one')), expected);
    });

    it('refuses to replace or delete a definition that does not exist', async () => {
      await refuses('STORE_NOT_FOUND', () => store().replace('Note', note('one', 'x')));
      await refuses('STORE_NOT_FOUND', () => store().delete('Note', 'one'));
    });

    it('deletes a definition', async () => {
      await store().create('Note', note('one', 'x'));
      await store().delete('Note', 'one');
      assert.equal(await store().get('Note', 'one'), undefined);
      assert.deepEqual(await store().list('Note'), []);
    });

    it('either refuses a name with path parts or stores it whole', async () => {
      for (const name of ['../../outside', 'a/b', '..', '.hidden', 'nul\u0000', '']) {
        const created = await outcomeOf(() => store().create('Note', note(name, 'x')));
        if (created === undefined) assert.equal((await store().get('Note', name))?.name, name);
        else assert.equal(created, 'STORE_FORBIDDEN', `create ${JSON.stringify(name)}`);
      }
    });

    it('loses nothing when many create at once, and lets only one of two with the same name succeed', async () => {
      const names = Array.from({ length: 20 }, (_, at) => `note-${at}`);
      const twice = [...names, ...names].map((name) =>
        outcomeOf(() => store().create('Note', note(name, 'x'))),
      );
      const refusals = (await Promise.all(twice)).filter((code) => code !== undefined);
      assert.deepEqual(refusals, Array<ErrorCode>(20).fill('STORE_CONFLICT'));
      const listed = (await store().list('Note')).map(({ name }) => name);
      assert.deepEqual([...listed].sort(), [...names].sort());
    });

    it('brings its definitions into the pipeline', async () => {
      await store().create('Note', { name: 'one', labels: { team: 'blue' }, spec: AWKWARD });
      await store().create('Memo', note('two', 'x'));
      const report = await gateway.control.reload();
      assert.deepEqual(report.issues, []);
      const [resource] = gateway.control.resources('Note');
      assert.deepEqual(plain(resource?.spec), AWKWARD);
      assert.deepEqual(plain(resource?.labels), { team: 'blue' });
      assert.deepEqual(inForce('Memo'), ['two']);
    });

    it('removes a deleted definition from the pipeline', async () => {
      await store().create('Note', note('one', 'x'));
      await gateway.control.reload();
      await store().delete('Note', 'one');
      await gateway.control.reload();
      assert.deepEqual(inForce(), []);
    });

    it('reports a broken definition, keeps its last good version, and accepts the others', async () => {
      await store().create('Note', note('one', 'good'));
      await gateway.control.reload();
      await store().replace('Note', { name: 'one', spec: { wrong: true } });
      await store().create('Note', note('two', 'x'));
      const report = await gateway.control.reload();
      assert.ok(report.issues.some(({ message }) => message.includes('one')));
      assert.deepEqual(inForce(), ['one', 'two']);
      assert.equal(
        gateway.control.resources('Note').find(({ name }) => name === 'one')?.spec['text'],
        'good',
      );
    });

    it('starts without the invalid definition and with all others', async () => {
      await store().create('Note', note('one', 'good'));
      await store().create('Note', { name: 'two', spec: { wrong: true } });
      await gateway.stop();
      await start();
      assert.deepEqual(inForce(), ['one']);
    });

    it('keeps its definitions over a restart', async () => {
      await store().create('Note', { name: 'one', spec: AWKWARD });
      await gateway.stop();
      await start();
      assert.deepEqual(inForce(), ['one']);
      assert.deepEqual(plain((await store().get('Note', 'one'))?.spec), AWKWARD);
    });

    it('removes its definitions when it is switched off, and brings them back when it is switched on', async () => {
      await store().create('Note', note('one', 'x'));
      await gateway.control.reload();
      const notes = { 'contract-notes': fixture('notes') };
      const off = Object.fromEntries(Object.keys(subject.plugins).map((name) => [name, false]));
      assert.equal((await gateway.configure({ ...notes, ...off })).applied, true);
      assert.deepEqual(gateway.all(ResourceStore), []);
      assert.deepEqual(inForce(), []);
      assert.equal((await gateway.configure({ ...notes, ...subject.plugins })).applied, true);
      assert.deepEqual(inForce(), ['one']);
    });

    it('notifies Pegboard when another process changes a definition', async function () {
      if (subject.changeOutside === undefined) return this.skip();
      await store().create('Note', note('mine', 'x'));
      await subject.changeOutside(directory, 'Note', note('theirs', 'x'));
      await eventually(() => inForce().includes('theirs'), 'the definition is in force');
      assert.deepEqual(inForce(), ['mine', 'theirs']);
      await store().replace('Note', note('theirs', 'mine now'));
      assert.equal((await store().get('Note', 'theirs'))?.spec['text'], 'mine now');
    });
  });
}

function note(name: string, text: string): StoredDefinition {
  return { name, spec: { text } };
}

/** The value as JSON holds it, without prototypes and absent fields. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** The code of its failure, undefined on success. @throws any error that is not a GatewayError */
async function outcomeOf(run: () => Promise<void>): Promise<ErrorCode | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (isGatewayError(error)) return error.code;
    throw error;
  }
}

async function refuses(code: ErrorCode, run: () => Promise<void>): Promise<void> {
  assert.equal(await outcomeOf(run), code);
}
