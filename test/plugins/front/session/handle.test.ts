import { expect } from 'chai';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { seal, unseal } from '../../../../plugins/front/session/handle.ts';
import type { SessionKey } from '../../../../plugins/front/session/loadKeys.ts';

const newKey = (): SessionKey => ({ id: randomBytes(4), key: randomBytes(32) });
const FACTS = {
  id: '3f2b8a52-0d0e-4a51-9a43-2c2a4b0f7f11',
  revision: '2025-11-25',
  subject: 'https://issuer.example alice',
  capabilities: { elicitation: { form: {} } },
  createdAt: 1_795_000_000_000,
};

describe('front: sealed handle', () => {
  const key = newKey();
  const handle = seal(FACTS, key);

  it('gives back what it sealed, whatever that was', () => {
    const facts = fc.record({
      id: fc.uuid(),
      revision: fc.constantFrom('2025-11-25', '2024-11-05'),
      subject: fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
      capabilities: fc.constantFrom({}, { sampling: {} }, { elicitation: { form: {}, url: {} } }),
      createdAt: fc.nat(),
    });
    fc.assert(
      fc.property(facts, (one) => {
        const sealed = seal(one, key);
        expect(unseal(sealed, [key])).deep.equal({ ...one, handle: sealed });
      }),
    );
  });

  it('uses visible ASCII only and stays short', () => {
    expect(handle).match(/^[\w-]+$/);
    expect(handle.length).lessThan(400);
  });

  it('shows nothing of what it holds', () => {
    const text = Buffer.from(handle, 'base64url').toString('latin1');
    for (const fact of [FACTS.id, FACTS.revision, 'alice']) expect(text).not.include(fact);
  });

  it('is another one each time, for the same session too', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => seal(FACTS, key))).size).equal(10_000);
  });

  it('does not open with any one bit of any byte flipped', () => {
    const bytes = Buffer.from(handle, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const damaged = Buffer.from(bytes);
        damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << bit), at);
        expect(unseal(damaged.toString('base64url'), [key]), `byte ${at}, bit ${bit}`).equal(undefined);
      }
    }
  });

  it('does not open with any one character changed, left out, doubled or added', () => {
    for (let at = 0; at < handle.length; at += 1) {
      const [head, char, tail] = [handle.slice(0, at), handle.charAt(at), handle.slice(at + 1)];
      for (const other of Array.from('AZaz09-_').filter((one) => one !== char))
        expect(unseal(head + other + tail, [key])).equal(undefined);
      expect(unseal(head + tail, [key])).equal(undefined);
      expect(unseal(head + char + char + tail, [key])).equal(undefined);
    }
    for (const one of ['=', '==', ' ', 'A', '\n']) expect(unseal(handle + one, [key])).equal(undefined);
  });

  it('does not open cut to any length', () => {
    for (let length = 0; length < handle.length; length += 1)
      expect(unseal(handle.slice(0, length), [key])).equal(undefined);
  });

  it('does not open with another key, also under the same key id', () => {
    expect(unseal(handle, [])).equal(undefined);
    expect(unseal(handle, [newKey()])).equal(undefined);
    expect(unseal(handle, [{ id: key.id, key: newKey().key }])).equal(undefined);
  });

  it('opens with a former key while a new one seals', () => {
    expect(unseal(handle, [newKey(), key])?.id).equal(FACTS.id);
  });

  it('takes any text for garbage', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'binary' })), (text) => {
        expect(unseal(text, [key])).equal(undefined);
      }),
      { numRuns: 200 },
    );
    expect(unseal('A'.repeat(1_000_000), [key])).equal(undefined);
  });
});
