import { expect } from 'chai';
import { ObjectMap } from '../../../../plugins/store-kubernetes/watch/objectMap.ts';
import type { ObjectChange } from '../../../../plugins/store-kubernetes/watch/objectMap.ts';
import { objectNamed } from '../kubeStub.ts';

const brief = (changes: readonly ObjectChange[]) =>
  changes.map(
    ({ type, object }) => `${type} ${object.metadata.uid ?? ''} ${object.metadata.resourceVersion ?? ''}`,
  );

describe('store-kubernetes: objects of a watch', () => {
  it('are compared with a later list: what was deleted, replaced, changed or added meanwhile', () => {
    const map = new ObjectMap();
    map.replaceAll(['kept', 'gone', 'replaced', 'changed'].map((name) => objectNamed(name, '1')));
    const changes = map.replaceAll([
      objectNamed('kept', '1'),
      objectNamed('replaced', '5', { uid: 'other' }),
      objectNamed('changed', '6', { generation: 2 }),
      objectNamed('added', '7'),
    ]);
    expect(brief(changes)).to.deep.equal([
      'deleted uid-gone 1',
      'deleted uid-replaced 1',
      'applied other 5',
      'applied uid-changed 6',
      'applied uid-added 7',
    ]);
    expect([...map.objects.keys()]).to.have.members(['kept', 'replaced', 'changed', 'added']);
  });

  it('are compared by what they say too: a version has other fields once the definition of its kind has changed', () => {
    const map = new ObjectMap();
    const told = (version: string, spec: object): readonly unknown[] =>
      map
        .replaceAll([{ ...objectNamed('a', version), spec }])
        .map((change) => change.type === 'applied' && change.isStatusOnly);
    expect(told('1', { known: 1 })).to.deep.equal([false]);
    expect(told('1', { known: 1 })).to.deep.equal([]);
    expect(told('1', { known: 1, newer: 2 })).to.deep.equal([false]);
    expect(told('2', { known: 1, newer: 2 })).to.deep.equal([true]);
    expect(told('3', { known: 1 })).to.deep.equal([false]);
  });

  it('keep a new object of that name when the deletion of the former one comes late', () => {
    const map = new ObjectMap();
    map.apply(objectNamed('a', '1'));
    map.apply(objectNamed('a', '3', { uid: 'new' }));
    expect(map.delete(objectNamed('a', '2'))).to.deep.equal([]);
    expect(map.objects.get('a')?.metadata.uid).to.equal('new');
    expect(brief(map.delete(objectNamed('a', '4', { uid: 'new' })))).to.deep.equal(['deleted new 4']);
  });

  it('mark a change of the status alone, and no other', () => {
    const map = new ObjectMap();
    const isStatusOnly = (version: string, more: object): unknown => {
      const [change] = map.apply(objectNamed('a', version, more));
      return change?.type === 'applied' && change.isStatusOnly;
    };
    const labels = { team: 'a' };
    expect(isStatusOnly('1', {})).to.equal(false);
    expect(isStatusOnly('2', {})).to.equal(true);
    expect(isStatusOnly('3', { generation: 2 })).to.equal(false);
    expect(isStatusOnly('4', { generation: 2, labels })).to.equal(false);
    expect(isStatusOnly('5', { generation: 2, labels })).to.equal(true);
    expect(isStatusOnly('6', { generation: 2, labels, annotations: { a: 'b' } })).to.equal(false);
    const later = {
      generation: 2,
      labels,
      annotations: { a: 'b' },
      deletionTimestamp: '2026-01-01T00:00:00Z',
    };
    expect(isStatusOnly('7', later)).to.equal(false);
    expect(isStatusOnly('8', { generation: undefined })).to.equal(false);
    expect(isStatusOnly('9', { generation: undefined })).to.equal(false);
  });
});
