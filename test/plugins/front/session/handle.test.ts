import { expect } from 'chai';
import fc from 'fast-check';
import { sealSession, unseal } from '../../../../plugins/front/session/handle.ts';
import { loadKeys } from '../../../../plugins/front/session/loadKeys.ts';
import { unsealed } from '../../../../plugins/front/session/sealed.ts';
import { newKeyRing } from '../../../../plugins/kit/secrets/keyRing.ts';
import { anyCharacter } from '../../../support/anyCharacter.ts';
import { makeDirectory } from '../../../support/directory.ts';

const FACTS = {
  id: '3f2b8a52-0d0e-4a51-9a43-2c2a4b0f7f11',
  revision: '2025-11-25',
  subject: 'https://issuer.example alice',
  capabilities: { elicitation: { form: {} } },
  createdAt: 1_795_000_000_000,
};

describe('front: sealed handle', () => {
  const keys = newKeyRing();
  const handle = sealSession(FACTS, keys);

  it('opens to any value that it sealed', () => {
    const facts = fc.record({
      id: fc.uuid(),
      revision: fc.constantFrom('2025-11-25', '2024-11-05'),
      subject: fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
      capabilities: fc.constantFrom({}, { sampling: {} }, { elicitation: { form: {}, url: {} } }),
      createdAt: fc.nat(),
    });
    fc.assert(
      fc.property(facts, (one) => {
        const sealed = sealSession(one, keys);
        expect(unseal(sealed, keys)).deep.equal({ ...one, handle: sealed });
      }),
    );
  });

  it('uses visible ASCII only and stays short', () => {
    expect(handle).match(/^[\w-]+$/);
    expect(handle.length).lessThan(400);
  });

  it('reveals nothing of its content', () => {
    const text = Buffer.from(handle, 'base64url').toString('latin1');
    for (const fact of [FACTS.id, FACTS.revision, 'alice']) expect(text).not.include(fact);
  });

  it('is different each time, for the same session too', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => sealSession(FACTS, keys))).size).equal(10_000);
  });

  it('does not open with any one bit of any byte flipped', () => {
    const bytes = Buffer.from(handle, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const damaged = Buffer.from(bytes);
        damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << bit), at);
        expect(unseal(damaged.toString('base64url'), keys), `byte ${at}, bit ${bit}`).equal(undefined);
      }
    }
  });

  it('does not open with any one character changed, left out, doubled or added', () => {
    for (let at = 0; at < handle.length; at += 1) {
      const [head, char, tail] = [handle.slice(0, at), handle.charAt(at), handle.slice(at + 1)];
      for (const other of Array.from('AZaz09-_').filter((one) => one !== char))
        expect(unseal(head + other + tail, keys)).equal(undefined);
      expect(unseal(head + tail, keys)).equal(undefined);
      expect(unseal(head + char + char + tail, keys)).equal(undefined);
    }
    for (const one of ['=', '==', ' ', 'A', '\n']) expect(unseal(handle + one, keys)).equal(undefined);
  });

  it('does not open cut to any length', () => {
    for (let length = 0; length < handle.length; length += 1)
      expect(unseal(handle.slice(0, length), keys)).equal(undefined);
  });

  it('does not open with another key, also under the same key id', () => {
    expect(unseal(handle, newKeyRing())).equal(undefined);
    expect(unseal(handle, [{ ...newKeyRing()[0], id: keys[0].id }])).equal(undefined);
  });

  it('opens with a former key while a new one seals', () => {
    expect(unseal(handle, [...newKeyRing(), ...keys])?.id).equal(FACTS.id);
  });

  it('treats any other text as invalid', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: anyCharacter })), (text) => {
        expect(unseal(text, keys)).equal(undefined);
      }),
      { numRuns: 200 },
    );
    expect(unseal('A'.repeat(1_000_000), keys)).equal(undefined);
  });

  it('opens handles that version 0.1.0 has sealed', () => {
    const key = { id: '54de456b', key: '7zqciWN3xF8ANzU6fo5fURW1Gmxl8BnKkdH8BQev89Q=' };
    const { path } = makeDirectory({ 'session-keys.json': JSON.stringify({ keys: [key] }) });
    const session =
      'VN5Faw5J2jVu8IlNVwFLIfKIKJ1qP-eLANIqgE6s2xr-w2JJSBPsnvtRuQL7ErZR5Nu6svGzBdE9bZPEs0nSrz8Er3yiGrtacRkVokeiwGAx3FGV33XuIp_cP9gH' +
      'ywLTBUZJIBOfvZI_V_CFHFhXK9YTSpCwuD_BR3UazGGK8UhMPytDJgsR6ahYUxNtofvpsEPhOW9Kot2ziZ8Chem6PgUg6raFP26lu-IpGIf2dUFSFuSHHDk88vyTQzM';
    const subject = '["https://issuer.example","alice"]';
    expect(unseal(session, loadKeys(path))).deep.equal({ ...FACTS, subject, handle: session });
    const owner =
      'VN5FaxXtizmPIR8XHRH7KGvozSWBEoZzYOSTMSAj4eTsmf96MDKvT4iyo60_b4uC8X8K58M3F0dLroFWNVcw-CVYjh6tBoEV_fW6FR7NKIoTtphvzY1dbTe9kX1N9g';
    const facts = { i: '8c7f1d0e-5a35-4b5b-8f0e-0d4b7f6f2a11', t: 1_795_000_000_000 };
    expect(unsealed(owner, 'owner', loadKeys(path))).deep.equal(facts);
    expect(unsealed(owner, 'session', loadKeys(path))).equal(undefined);
  });
});
