import { expect } from 'chai';
import { KubeError } from '../../../../plugins/store-kubernetes/api/kubeError.ts';
import { Definitions } from '../../../../plugins/store-kubernetes/store/definitions.ts';
import { defer } from '../../../support/cleanup.ts';
import { captureLog } from '../../../support/log.ts';
import { until } from '../../../support/until.ts';

const EMPTY = { object: { metadata: { resourceVersion: '1' }, items: [] } };

/** Definitions of an API server that answers lists so. @param namespaces further ones */
function definitionsOf(
  list: (place: Readonly<Record<'plural' | 'namespace', string>>) => Promise<unknown>,
  namespaces: readonly string[] = [],
) {
  const watch = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<void> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  const kinds = ['mcpservers', 'accesses'].map((directory) => ({ name: directory, directory, schema: {} }));
  const seen = { changes: 0 };
  const definitions = new Definitions({
    cluster: { connect: () => Promise.resolve({ list, watch }) },
    control: () => ({ kinds: () => kinds, settings: () => ({ namespace: 'n' }), resources: () => [] }),
    config: () => ({ startWaitMs: 60_000, namespaces }),
    log: captureLog(),
    changed: () => (seen.changes += 1),
    gone: () => undefined,
  } as unknown as ConstructorParameters<typeof Definitions>[0]);
  defer(() => definitions.stop());
  const load = async (): Promise<number> =>
    (await definitions.addTo({ resources: [], unreadable: [], issues: [] })).resources.length;
  return { definitions, load, seen };
}

describe('custom resources', () => {
  it('of a kind that a cluster of an older version lacks are not waited for, also while the API server is away, and are read once they are there', async () => {
    let answer = (): Promise<unknown> =>
      Promise.reject(new KubeError('status', 'not found', { status: 404 }));
    const { load, seen } = definitionsOf(({ plural }) =>
      plural === 'mcpservers' ? Promise.resolve(EMPTY) : answer(),
    );
    expect(await load()).equal(0);
    let asked = 0;
    answer = () => {
      asked += 1;
      return Promise.reject(new KubeError('unreachable', 'no connection'));
    };
    await until(() => asked > 1, { what: 'another attempt' });
    expect(await load()).equal(0);
    const before = seen.changes;
    answer = () => Promise.resolve(EMPTY);
    await until(() => seen.changes > before, { what: 'the first list', withinMs: 15_000 });
    expect(await load()).equal(0);
  });

  it('that have just appeared are not taken for those of another namespace that have their names', async () => {
    const full = { object: { ...EMPTY.object, items: [{ metadata: { name: 'same' }, spec: {} }] } };
    const none = new KubeError('status', 'no', { status: 403 });
    const { definitions, load } = definitionsOf(
      ({ namespace }) => (namespace === 'n' ? Promise.resolve(full) : Promise.reject(none)),
      ['team'],
    );
    await load();
    const same = { kind: 'mcpservers', name: 'same' };
    expect(definitions.refusalOf(same, 'n')).equal(undefined);
    expect(definitions.refusalOf(same, 'team')?.reason).equal('Pending');
  });
});
