import { expect } from 'chai';
import { KubeError } from '../../../../plugins/store-kubernetes/api/kubeError.ts';
import { Definitions } from '../../../../plugins/store-kubernetes/store/definitions.ts';
import { defer } from '../../../support/cleanup.ts';
import { captureLog } from '../../../support/log.ts';
import { until } from '../../../support/until.ts';

const EMPTY = { object: { metadata: { resourceVersion: '1' }, items: [] } };

describe('custom resources: kinds that a cluster of an older version lacks', () => {
  it('are not waited for, also while the API server is away, and are read once they are there', async () => {
    let answer = (): Promise<unknown> =>
      Promise.reject(new KubeError('status', 'not found', { status: 404 }));
    let changes = 0;
    const watch = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<void> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    const list = ({ plural }: { readonly plural: string }): Promise<unknown> =>
      plural === 'mcpservers' ? Promise.resolve(EMPTY) : answer();
    const kinds = ['mcpservers', 'accesses'].map((directory) => ({ name: directory, directory, schema: {} }));
    const definitions = new Definitions({
      cluster: { connect: () => Promise.resolve({ list, watch }) },
      control: () => ({ kinds: () => kinds, settings: () => ({ namespace: 'n' }), resources: () => [] }),
      config: () => ({ startWaitMs: 60_000, namespaces: [] }),
      log: captureLog(),
      changed: () => (changes += 1),
      gone: () => undefined,
    } as unknown as ConstructorParameters<typeof Definitions>[0]);
    defer(() => definitions.stop());
    const load = async (): Promise<number> =>
      (await definitions.addTo({ resources: [], unreadable: [], issues: [] })).resources.length;
    expect(await load()).equal(0);
    let asked = 0;
    answer = () => {
      asked += 1;
      return Promise.reject(new KubeError('unreachable', 'no connection'));
    };
    await until(() => asked > 1, { what: 'another attempt' });
    expect(await load()).equal(0);
    const before = changes;
    answer = () => Promise.resolve(EMPTY);
    await until(() => changes > before, { what: 'the first list', withinMs: 15_000 });
    expect(await load()).equal(0);
  });
});

describe('custom resources: an object that has just appeared', () => {
  it('is not taken for the one of another namespace that has its name', async () => {
    const watch = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<void> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    const items = [{ metadata: { name: 'same', generation: 1 }, spec: {} }];
    let answer = (): Promise<unknown> => Promise.reject(new KubeError('status', 'no', { status: 403 }));
    const list = ({ namespace }: { readonly namespace: string }): Promise<unknown> =>
      namespace === 'n' ? Promise.resolve({ object: { ...EMPTY.object, items } }) : answer();
    const kind = { name: 'MCPServer', directory: 'mcpservers', schema: {} };
    let changes = 0;
    const definitions = new Definitions({
      cluster: { connect: () => Promise.resolve({ list, watch }) },
      control: () => ({ kinds: () => [kind], settings: () => ({ namespace: 'n' }), resources: () => [] }),
      config: () => ({ startWaitMs: 60_000, namespaces: ['team'] }),
      log: captureLog(),
      changed: () => (changes += 1),
      gone: () => undefined,
    } as unknown as ConstructorParameters<typeof Definitions>[0]);
    defer(() => definitions.stop());
    await definitions.addTo({ resources: [], unreadable: [], issues: [] });
    answer = () => Promise.resolve({ object: { ...EMPTY.object, items } });
    await until(() => changes > 0, { what: 'the list of the team', withinMs: 15_000 });
    const same = { kind: 'MCPServer', name: 'same' };
    expect(definitions.refusalOf(same, 'n')).equal(undefined);
    expect(definitions.refusalOf(same, 'team')?.reason).equal('Pending');
  });
});
