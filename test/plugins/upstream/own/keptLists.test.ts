import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import type { Vault } from '../../../../plugins/contracts/vault.ts';
import { NOTHING_LISTED } from '../../../../plugins/upstream/client/conversation/listing.ts';
import { readDefinition } from '../../../../plugins/upstream/definition.ts';
import type { ServerDefinition } from '../../../../plugins/upstream/definition.ts';
import { KeptLists } from '../../../../plugins/upstream/own/keptLists.ts';
import { OwnLists } from '../../../../plugins/upstream/own/ownLists.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { captureLog } from '../../../support/log.ts';

const DAY_MS = 86_400_000;

function definitionWith(auth: JsonObject, url = 'https://a.test/mcp'): ServerDefinition {
  return readDefinition({ type: 'streamable-http', url, env: {}, headers: {}, auth });
}
const OAUTH = definitionWith({ type: 'oauth' });

const TOO_MUCH = 65 * 1024 * 1024;

interface Begun {
  readonly server?: string;
  readonly definition?: ServerDefinition;
  readonly from?: Vault;
  readonly held?: Pick<OwnLists, 'bytes' | 'known'>;
}

describe('upstream: what is kept for the callers of a server', () => {
  const { now } = Date;
  let later = 0;
  const limits = { maxEntries: 10_000, maxBytes: 1_000_000, maxValueBytes: 5000, sweepMs: 60_000 };
  beforeEach(() => {
    // Not at the end of a period of 30 days.
    later = 30 * DAY_MS - (now() % (30 * DAY_MS));
    Date.now = () => now() + later;
  });
  afterEach(() => (Date.now = now));

  function place() {
    const vault = new MemoryVault(() => limits);
    const log = captureLog();
    /** The next process, or another one. */
    const begin = ({ server: name = 'a', definition = OAUTH, from = vault, held }: Begun = {}) => {
      const lists = new OwnLists();
      const server = { name, definition };
      const kept = new KeptLists({ vault: () => from, log }, server, held ?? lists);
      return {
        kept,
        keep: async (owner: string, ...names: readonly string[]): Promise<void> => {
          const tools = names.map((name) => ({ name, inputSchema: {} }));
          lists.set(owner, { ...NOTHING_LISTED, tools }, undefined);
          const list = lists.of(owner);
          if (list !== undefined) await kept.keep(owner, list);
        },
        forget: async (owner: string): Promise<void> => {
          lists.forget(owner);
          await kept.forget(owner);
        },
        namesFor: async (owner: string): Promise<unknown> =>
          (await kept.read(owner))?.listing.tools.map((tool) => (tool as JsonObject)['name']),
      };
    };
    const lists = async (): Promise<number> =>
      (await vault.list('listed:')).filter((key) => key.includes(':list:')).length;
    return { vault, log, begin, lists };
  }

  it('is one list for all callers with equal lists; keys name callers by hashes', async () => {
    const { begin, vault, lists, log } = place();
    const first = begin();
    for (let owner = 0; owner < 100; owner += 1) await first.keep(`https://people ann-${owner}`, 'one');
    expect(await lists()).equal(1);
    expect(vault.size).equal(101);
    expect((await vault.list('')).join()).not.include('ann');
    const next = begin();
    expect(await next.namesFor('https://people ann-99')).deep.equal(['one']);
    expect(await next.namesFor('https://people ann-100')).equal(undefined);
    expect(log.records).deep.equal([]);
  });

  it('is what a caller was listed last; a list that no caller has is deleted', async () => {
    const { begin, vault, lists } = place();
    const first = begin();
    for (const name of ['one', 'two', 'one', 'two']) await first.keep('ann', name);
    await first.keep('bob', 'one');
    expect(await begin().namesFor('ann')).deep.equal(['two']);
    expect(await begin().namesFor('bob')).deep.equal(['one']);
    await first.forget('bob');
    expect(await lists()).equal(1);
    await first.forget('ann');
    expect(vault.size).equal(0);
  });

  it('is written again by a process whose callers have it, if another process has deleted it', async () => {
    const { begin } = place();
    const [one, other] = [begin(), begin()];
    await one.keep('ann', 'one');
    await other.keep('bob', 'one');
    await one.forget('ann');
    await other.keep('bob', 'one');
    expect(await begin().namesFor('bob')).deep.equal(['one']);
    await one.kept.clear();
    await other.keep('bob', 'one');
    expect(await begin().namesFor('bob')).deep.equal(['one']);
  });

  it('is written again if what is kept is not a list', async () => {
    const { begin, vault } = place();
    await begin().keep('ann', 'one');
    for (const key of await vault.list(''))
      if (key.includes(':list:')) await vault.set(key, { listing: 'x' });
    const next = begin();
    expect(await next.namesFor('ann')).equal(undefined);
    await next.keep('ann', 'one');
    expect(await next.namesFor('ann')).deep.equal(['one']);
  });

  it('ends 30 to 60 days after a process has read it last', async () => {
    const { begin, vault } = place();
    await begin().keep('ann', 'one');
    later += 29 * DAY_MS;
    await begin().keep('ann', 'one');
    expect(vault.size, 'written once a period').equal(2);
    later += 30 * DAY_MS;
    expect(await begin().namesFor('ann')).deep.equal(['one']);
    await begin().keep('ann', 'one');
    later += 2 * DAY_MS;
    expect(await begin().namesFor('ann'), 'read in the next period').deep.equal(['one']);
    later += 59 * DAY_MS;
    expect(await begin().namesFor('ann')).equal(undefined);
    vault.sweep();
    expect(vault.size).equal(0);
  });

  it('says that a server wants a sign-in as long as a caller has a list: else it may be open again', async () => {
    const { begin } = place();
    const first = begin();
    await first.kept.lock(['Bearer realm="x"']);
    expect(await begin().kept.challenges()).equal(undefined);
    await first.keep('ann', 'one');
    expect(await begin().kept.challenges()).deep.equal(['Bearer realm="x"']);
    await first.forget('ann');
    expect(await begin().kept.challenges()).equal(undefined);
  });

  it('is bounded: no server fills the vault; one warning says so until there is room', async () => {
    const { begin, lists, log } = place();
    const full = new OwnLists();
    const first = begin({ held: { known: (id) => full.known(id), bytes: TOO_MUCH } });
    for (const owner of ['ann', 'bob']) await first.keep(owner, 'one');
    expect(await lists()).equal(0);
    expect(log.having('could not be stored or read', 'warn')).lengthOf(1);
    await begin().keep('ann', 'one');
    expect(await lists()).equal(1);
  });

  it('is not an older list if the vault refuses the new one: one warning names the bound', async () => {
    const { begin, log } = place();
    const first = begin();
    await first.keep('ann', 'one');
    for (const owner of ['ann', 'bob', 'cat']) await first.keep(owner, 'x'.repeat(6000));
    expect(await begin().namesFor('ann')).equal(undefined);
    const [warning, ...more] = log.having('could not be stored or read', 'warn');
    expect(more).deep.equal([]);
    expect(JSON.stringify(warning)).include('maxValueBytes').include('"server":"a"');
  });

  it('is of one server with one definition, whatever its client secret is', async () => {
    const { begin, vault } = place();
    await begin().keep('ann', 'one');
    for (const change of [
      { server: 'b' },
      { definition: definitionWith({ type: 'oauth' }, 'https://b.test/mcp') },
      { definition: definitionWith({ type: 'oauth', forwardToken: true }) },
    ])
      expect(await begin(change).namesFor('ann')).equal(undefined);
    await begin().kept.clear();
    expect(vault.size).equal(0);
    const pinned = { issuer: 'https://i.test', grantScope: 'session', clientId: 'c' };
    for (const clientSecret of ['one', 'other']) {
      const definition = definitionWith({ type: 'oauth', authorizationServer: { ...pinned, clientSecret } });
      await begin({ definition }).keep('ann', 'one');
    }
    expect(vault.size).equal(2);
  });

  it('is a warning, not an error, while the vault is away', async () => {
    const { begin, log } = place();
    const away = new Proxy({} as Vault, { get: () => () => Promise.reject(new Error('it is away')) });
    const broken = begin({ from: away });
    await broken.keep('ann', 'one');
    expect(await broken.namesFor('ann')).equal(undefined);
    expect(log.having('could not be stored or read', 'warn')).lengthOf(1);
  });
});
