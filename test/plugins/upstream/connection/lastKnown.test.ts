import { expect } from 'chai';
import { NOTHING_LISTED } from '../../../../plugins/upstream/client/conversation/listing.ts';
import { readDefinition } from '../../../../plugins/upstream/definition.ts';
import { LastKnown } from '../../../../plugins/upstream/connection/lastKnown.ts';
import type { LateNames } from '../../../../plugins/upstream/connection/lastKnown.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { captureLog } from '../../../support/log.ts';

describe('upstream: the last known lists of a server', () => {
  const definition = readDefinition({
    type: 'streamable-http',
    url: 'https://a.test/mcp',
    env: {},
    headers: {},
  });

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

  it('are not those of a server that another namespace has by that name', async () => {
    const state = makeDirectory();
    const lastKnown = new LastKnown(state.path, captureLog());
    const known = { listing: NOTHING_LISTED, asked: [], era: undefined, askEras: {}, late: () => ({}) };
    lastKnown.write('a', definition, known);
    lastKnown.sessionOf('a').keep(definition, { id: 's' } as never);
    await lastKnown.settled();
    const theirs = { ...definition, secretNamespace: 'team' };
    expect(await lastKnown.read('a', definition)).not.equal(undefined);
    expect(await lastKnown.read('a', theirs)).equal(undefined);
    expect(await lastKnown.sessionOf('a').read(theirs)).equal(undefined);
  });
});
