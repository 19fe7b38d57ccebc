import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { NOTHING_LISTED } from '../../../../plugins/upstream/conversation/listing.ts';
import { KeptFolder } from '../../../../plugins/upstream/server/keptFolder.ts';
import type { KeptBounds } from '../../../../plugins/upstream/server/keptFolder.ts';
import { listIdOf } from '../../../../plugins/upstream/server/ownLists.ts';
import type { OwnList } from '../../../../plugins/upstream/server/ownLists.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { captureLog } from '../../../support/log.ts';

const DAY_MS = 86_400_000;
const AGE_MS = 30 * DAY_MS;
const BOUNDS: KeptBounds = { owners: 1000, bytes: 1_000_000, ageMs: AGE_MS };

function listOf(...names: readonly string[]): OwnList {
  const listing = { ...NOTHING_LISTED, tools: names.map((name) => ({ name, inputSchema: {} })) };
  const facts = undefined;
  return { id: listIdOf({ listing, facts }), listing, facts };
}
const [ONE, TWO] = [listOf('one'), listOf('two')];
const none = (): undefined => undefined;

describe('upstream: what is kept for the callers of a server', () => {
  /** @returns a function that begins the next process */
  function place(bounds: Partial<KeptBounds> = {}) {
    const path = join(makeDirectory().path, 'callers', 'a-server');
    const log = captureLog();
    const begin = (): KeptFolder => new KeptFolder(path, log, { ...BOUNDS, ...bounds });
    const files = (): readonly string[] => (existsSync(path) ? readdirSync(path).sort() : []);
    /** Sets the time of the files whose names contain a text. */
    const age = (part: string, ms: number): void => {
      const at = (Date.now() - ms) / 1000;
      for (const name of files()) if (name.includes(part)) utimesSync(join(path, name), at, at);
    };
    return { path, log, begin, files, age };
  }
  const toolsOf = async (folder: KeptFolder, owner: string): Promise<unknown> =>
    (await folder.read(owner, none))?.listing.tools;

  it('is one file for all callers with equal lists, and an empty one for each of them', async () => {
    const { begin, files, path, log } = place();
    const folder = begin();
    const owners = Array.from({ length: 1000 }, (_, at) => `owner-${at}`);
    await folder.keep('owner-0', ONE);
    const written = statSync(join(path, `${ONE.id}.json`)).mtimeMs;
    await Promise.all(owners.map((owner) => folder.keep(owner, listOf('one'))));
    expect(files().filter((name) => name.endsWith('.json'))).deep.equal([`${ONE.id}.json`]);
    expect(files()).lengthOf(1001);
    expect(statSync(join(path, `${ONE.id}.json`)).mtimeMs).equal(written);
    const next = begin();
    expect(await toolsOf(next, 'owner-999')).deep.equal(ONE.listing.tools);
    expect(await toolsOf(next, 'owner-1000')).equal(undefined);
    expect(log.records).deep.equal([]);
  });

  it('can be read by its owner only, and names callers by hashes', async () => {
    const { begin, files, path } = place();
    const folder = begin();
    await folder.keep('https://people ann', ONE);
    await folder.lock(['Bearer realm="x"']);
    expect(files().join()).not.include('ann');
    expect(files()).lengthOf(3);
    for (const name of files()) expect(statSync(join(path, name)).mode & 0o777, name).equal(0o600);
    for (const one of [path, dirname(path)]) expect(statSync(one).mode & 0o777, one).equal(0o700);
  });

  it('is what a caller was listed last; a list that no caller has is removed', async () => {
    const { begin, files } = place();
    const folder = begin();
    await folder.keep('ann', ONE);
    await folder.keep('bob', ONE);
    await folder.keep('ann', TWO);
    expect(await toolsOf(begin(), 'ann')).deep.equal(TWO.listing.tools);
    expect(await toolsOf(begin(), 'bob')).deep.equal(ONE.listing.tools);
    await folder.forget('bob');
    expect(files().filter((name) => name.endsWith('.json'))).deep.equal([`${TWO.id}.json`]);
    await folder.forget('ann');
    expect(files()).deep.equal([]);
  });

  it('is not removed while callers of another process have it', async () => {
    const { begin, log } = place();
    const [one, other] = [begin(), begin()];
    expect(await toolsOf(one, 'ann')).equal(undefined);
    await Promise.all([one.keep('ann', ONE), other.keep('bob', ONE)]);
    await Promise.all([one.forget('ann'), other.keep('cat', TWO)]);
    const next = begin();
    expect(await toolsOf(next, 'bob')).deep.equal(ONE.listing.tools);
    expect(await toolsOf(next, 'cat')).deep.equal(TWO.listing.tools);
    expect(await toolsOf(next, 'ann')).equal(undefined);
    expect(log.records).deep.equal([]);
  });

  it('is not read if another process has removed it, and is written again', async () => {
    const { begin, log } = place();
    const [one, other] = [begin(), begin()];
    await one.keep('ann', ONE);
    await other.clear();
    expect(await toolsOf(one, 'ann')).equal(undefined);
    await one.keep('ann', ONE);
    expect(await toolsOf(begin(), 'ann')).deep.equal(ONE.listing.tools);
    expect(log.records).deep.equal([]);
  });

  it('is bounded: callers whose lists were confirmed longest ago go first', async () => {
    const few = place({ owners: 2 });
    const folder = few.begin();
    await folder.keep('ann', ONE);
    await folder.keep('bob', ONE);
    await folder.keep('cat', TWO);
    expect(await toolsOf(few.begin(), 'ann')).equal(undefined);
    expect(await toolsOf(few.begin(), 'bob')).deep.equal(ONE.listing.tools);

    const small = place({ bytes: 1800 });
    const bounded = small.begin();
    for (let owner = 0; owner < 20; owner += 1)
      await bounded.keep(`owner-${owner}`, listOf(`${owner}`.repeat(20)));
    const sizes = small
      .files()
      .filter((name) => name.endsWith('.json'))
      .map((name) => statSync(join(small.path, name)).size);
    expect(sizes.reduce((sum, size) => sum + size)).within(1000, 1800);
    expect(await toolsOf(small.begin(), 'owner-0')).equal(undefined);
    expect(await toolsOf(small.begin(), 'owner-19')).not.equal(undefined);
    const before = small.files();
    await bounded.keep('big', listOf('b'.repeat(300)));
    expect(small.files(), 'one list takes no more than its share').deep.equal(before);
  });

  it('ends 30 days after it was confirmed; a list that is read again is confirmed once a day', async () => {
    const { begin, age, files } = place();
    await begin().keep('ann', ONE);
    age('', 2 * DAY_MS);
    await begin().keep('ann', listOf('one'));
    age('.json', AGE_MS + DAY_MS);
    expect(await toolsOf(begin(), 'ann'), 'confirmed').deep.equal(ONE.listing.tools);
    age('', AGE_MS - DAY_MS);
    expect(await toolsOf(begin(), 'ann'), 'in time').deep.equal(ONE.listing.tools);
    age('', AGE_MS + DAY_MS);
    expect(await toolsOf(begin(), 'ann'), 'too late').equal(undefined);
    expect(files()).deep.equal([]);
  });

  it('says that a server wants a sign-in as long as a caller has a list: else it may be open again', async () => {
    const { begin, path, files } = place();
    const folder = begin();
    await folder.lock(['Bearer realm="x"']);
    await folder.keep('ann', ONE);
    expect(await begin().challenges()).deep.equal(['Bearer realm="x"']);
    await folder.forget('ann');
    expect(await begin().challenges()).equal(undefined);
    expect(files()).deep.equal([]);
    await begin().sweep();
    expect(existsSync(path)).equal(false);
  });

  it('is left out where it is damaged, with a warning, and written anew', async () => {
    const { begin, path, log, files } = place();
    const damages: Readonly<Record<string, string>> = {
      'a part': readablePart(),
      'no list': '{"listing":{"tools":{}}}',
      'another list': JSON.stringify({ listing: TWO.listing }),
      nothing: '',
    };
    await begin().keep('ann', ONE);
    let warnings = 0;
    for (const [what, text] of Object.entries(damages)) {
      writeFileSync(join(path, `${ONE.id}.json`), text);
      const folder = begin();
      expect(await toolsOf(folder, 'ann'), what).equal(undefined);
      expect(log.having('damaged', 'warn'), what).lengthOf((warnings += 1));
      await folder.keep('ann', ONE);
      expect(await toolsOf(begin(), 'ann'), what).deep.equal(ONE.listing.tools);
    }
    writeFileSync(join(path, 'locked.json'), '[');
    writeFileSync(join(path, 'of-another-program'), '');
    expect(await begin().challenges()).equal(undefined);
    expect(files()).include('of-another-program');
    expect(log.having('a stored challenge of a server is damaged')).lengthOf(1);
  });

  it('is a warning, not an error, if it cannot be stored', async () => {
    const { begin, path, log } = place();
    await begin().keep('ann', ONE);
    const [file = ''] = readdirSync(path);
    const blocked = new KeptFolder(join(path, file, 'below'), log);
    await blocked.keep('ann', ONE);
    expect(await toolsOf(blocked, 'ann')).equal(undefined);
    expect(log.having('could not be stored', 'warn')).lengthOf(2);
  });
});

/** The beginning of the file. */
function readablePart(): string {
  return JSON.stringify({ listing: ONE.listing }).slice(0, 20);
}
