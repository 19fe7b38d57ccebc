import { expect } from 'chai';
import { CapabilityRegistry, many, one } from '../../kernel/capabilities.ts';
import { refusalOf } from '../support/kernel.ts';

function makeRegistry(): { registry: CapabilityRegistry; failures: unknown[] } {
  const failures: unknown[] = [];
  return { registry: new CapabilityRegistry((id, error) => failures.push([id, error])), failures };
}
function provision(id: string, value: unknown, owner = 'p') {
  return { owner, id, value };
}

describe('CapabilityRegistry', () => {
  it('returns the one value, and all values in the order of their providers', () => {
    const { registry } = makeRegistry();
    registry.replace([provision('pool', 'P'), provision('route', 1, 'a'), provision('route', 2, 'b')]);
    expect(registry.get('pool')).to.equal('P');
    expect(registry.all('route')).to.deep.equal([1, 2]);
  });

  it('throws PLUGIN_MISSING naming the capability without a provider, and returns an empty list for a `many` capability', async () => {
    const { registry } = makeRegistry();
    const error = await refusalOf(() => registry.get('acme/pool'));
    expect(error.code).to.equal('PLUGIN_MISSING');
    expect(error.message).to.contain('acme/pool');
    expect(registry.all('acme/pool')).to.deep.equal([]);
  });

  it('compares tokens by id, so that a second copy of the package matches', () => {
    const { registry } = makeRegistry();
    registry.replace([provision(one<string>('acme/pool').id, 'P')]);
    const copy = one<string>('acme/pool');
    expect(registry.get(copy.id)).to.equal('P');
    expect(many('route').cardinality).to.equal('many');
    expect(one('route').cardinality).to.equal('one');
  });

  it('calls each subscriber for every value, present and future, and its cleanup when the value leaves', () => {
    const { registry } = makeRegistry();
    const live = new Set<unknown>();
    registry.replace([provision('route', 'a')]);
    registry.each('route', (value) => {
      live.add(value);
      return () => void live.delete(value);
    });
    expect([...live]).to.deep.equal(['a']);
    registry.replace([provision('route', 'a'), provision('route', 'b')]);
    expect([...live]).to.deep.equal(['a', 'b']);
    registry.replace([provision('route', 'b')]);
    expect([...live]).to.deep.equal(['b']);
  });

  it('replaces a provider for its subscribers: the old value leaves before the new one arrives', () => {
    const { registry } = makeRegistry();
    const story: string[] = [];
    registry.replace([provision('pool', 'old')]);
    registry.each('pool', (value) => {
      story.push(`+${String(value)}`);
      return () => void story.push(`-${String(value)}`);
    });
    registry.replace([provision('pool', 'new')]);
    expect(story).to.deep.equal(['+old', '-old', '+new']);
    expect(registry.get('pool')).to.equal('new');
  });

  it('does not call a subscriber again for a value that stays', () => {
    const { registry } = makeRegistry();
    let calls = 0;
    registry.replace([provision('route', 'a')]);
    registry.each('route', () => void (calls += 1));
    registry.replace([provision('route', 'a')]);
    expect(calls).to.equal(1);
  });

  it('cleans everything up when a subscription ends, and calls it no more', () => {
    const { registry } = makeRegistry();
    const live = new Set<unknown>();
    registry.replace([provision('route', 'a'), provision('route', 'b')]);
    const subscribed = registry.each('route', (value) => {
      live.add(value);
      return () => void live.delete(value);
    });
    subscribed.end();
    registry.replace([provision('route', 'c')]);
    expect(live.size).to.equal(0);
  });

  it('leaves a frozen subscription its values until it ends', () => {
    const { registry } = makeRegistry();
    const live = new Set<unknown>();
    registry.replace([provision('route', 'a')]);
    const subscribed = registry.each('route', (value) => {
      live.add(value);
      return () => void live.delete(value);
    });
    subscribed.freeze();
    registry.replace([provision('route', 'b')]);
    expect([...live]).to.deep.equal(['a']);
    subscribed.end();
    expect([...live]).to.deep.equal([]);
  });

  it('reports a subscriber that throws and continues with the next', () => {
    const { registry, failures } = makeRegistry();
    const seen: unknown[] = [];
    registry.each('route', () => {
      throw new Error('boom');
    });
    registry.each('route', (value) => void seen.push(value));
    registry.replace([provision('route', 'a')]);
    expect(seen).to.deep.equal(['a']);
    expect(failures).to.have.length(1);
    registry.replace([]);
    expect(failures).to.have.length(1);
  });
});
