import { readdirSync, utimesSync } from 'node:fs';
import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import { NOTHING_LISTED } from '../../../../plugins/upstream/conversation/listing.ts';
import { readDefinition } from '../../../../plugins/upstream/definition.ts';
import type { ServerDefinition } from '../../../../plugins/upstream/definition.ts';
import { LastKnown } from '../../../../plugins/upstream/server/lastKnown.ts';
import type { LateNames } from '../../../../plugins/upstream/server/lastKnown.ts';
import { listIdOf } from '../../../../plugins/upstream/server/ownLists.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { captureLog } from '../../../support/log.ts';

const TOO_OLD_MS = 31 * 86_400_000;
const LISTED = { listing: { ...NOTHING_LISTED, tools: [{ name: 'one' }] }, facts: undefined };
const LIST = { ...LISTED, id: listIdOf(LISTED) };

function definitionWith(auth: JsonObject, url = 'https://a.test/mcp'): ServerDefinition {
  return readDefinition({ type: 'streamable-http', url, env: {}, headers: {}, auth });
}

describe('upstream: the last known lists of the callers of servers', () => {
  function place() {
    const state = makeDirectory();
    const log = captureLog();
    const begin = (): LastKnown => new LastKnown(state.path, log);
    const folders = (): readonly string[] => readdirSync(state.at('callers'));
    return { state, log, begin, folders };
  }
  async function isKnown(
    lastKnown: LastKnown,
    server: string,
    definition: ServerDefinition,
  ): Promise<boolean> {
    const kept = await lastKnown.callersOf(server, definition)?.read('ann', () => undefined);
    await lastKnown.settled();
    return kept !== undefined;
  }
  const oauth = definitionWith({ type: 'oauth' });

  it('hold for one server with one definition; those of a former definition are removed', async () => {
    const { begin, folders } = place();
    const first = begin();
    await first.callersOf('a', oauth)?.keep('ann', LIST);
    expect(await isKnown(begin(), 'b', oauth)).equal(false);
    expect(await isKnown(begin(), 'a', oauth)).equal(true);
    expect(await isKnown(begin(), 'a', definitionWith({ type: 'oauth' }, 'https://b.test/mcp'))).equal(false);
    expect(folders()).deep.equal([]);
    await begin().callersOf('a', oauth)?.keep('ann', LIST);
    expect(await isKnown(begin(), 'a', definitionWith({ type: 'oauth', forwardToken: true }))).equal(false);
    expect(await isKnown(begin(), 'a', oauth)).equal(false);
  });

  it('say nothing from which a client secret could be guessed', async () => {
    const { begin, folders } = place();
    const pinned = { issuer: 'https://i.test', grantScope: 'session', clientId: 'c' };
    for (const clientSecret of ['one', 'other']) {
      const definition = definitionWith({ type: 'oauth', authorizationServer: { ...pinned, clientSecret } });
      await begin().callersOf('a', definition)?.keep('ann', LIST);
    }
    expect(folders()).lengthOf(1);
  });

  it('end for a server without a definition when they are too old', async () => {
    const { begin, folders, state } = place();
    await begin().callersOf('old', oauth)?.keep('ann', LIST);
    const [old = ''] = folders();
    await begin().callersOf('new', oauth)?.keep('ann', LIST);
    const then = (Date.now() - TOO_OLD_MS) / 1000;
    for (const name of readdirSync(state.at(`callers/${old}`)))
      utimesSync(state.at(`callers/${old}/${name}`), then, then);
    const next = begin();
    next.sweep();
    await next.settled();
    expect(folders()).lengthOf(1).and.not.include(old);
  });

  it('are not kept without a state directory, and report one that cannot be written', async () => {
    expect(new LastKnown(undefined, captureLog()).callersOf('a', oauth)).equal(undefined);
    const { begin, log, state } = place();
    state.write('callers', 'a file');
    const lastKnown = begin();
    await lastKnown.callersOf('a', oauth)?.keep('ann', LIST);
    expect(await isKnown(lastKnown, 'a', oauth)).equal(false);
    expect(log.having('could not be stored', 'warn')).not.deep.equal([]);
  });
});

describe('upstream: the last known lists of a server', () => {
  const definition = definitionWith({ type: 'none' });

  it('hold which names another server had first, and nothing that has not that form', async () => {
    const state = makeDirectory();
    const begin = (): LastKnown => new LastKnown(state.path, captureLog());
    const known = { listing: NOTHING_LISTED, asked: [], era: undefined, askEras: {} };
    const kept = async (late: unknown): Promise<unknown> => {
      const lastKnown = begin();
      lastKnown.write('a', definition, { ...known, late: () => late as LateNames });
      await lastKnown.settled();
      return (await begin().read('a', definition))?.late.resources;
    };
    expect(await kept({ resources: [['shared://doc', 7]] })).deep.equal([['shared://doc', 7]]);
    for (const damaged of [undefined, 'x', { resources: 'x' }, { resources: [1, null, ['u'], [7, 'u']] }])
      expect(await kept(damaged)).deep.equal([]);
  });
});
