import { expect } from 'chai';
import fc from 'fast-check';
import { newKeyRing } from '../../../../plugins/kit/secrets/keyRing.ts';
import { SEAL_BYTES, sealBytes, unsealBytes } from '../../../../plugins/kit/secrets/seal.ts';

describe('lib: seal', () => {
  const [key] = newKeyRing();
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));

  it('gives back the bytes with the same key and context, and with no other', () => {
    const [other] = newKeyRing();
    fc.assert(
      fc.property(bytes, bytes, bytes, (plain, context, another) => {
        const sealed = sealBytes(key, context, plain);
        expect(sealed.length).equal(plain.length + SEAL_BYTES);
        expect(unsealBytes(key, context, sealed)?.equals(plain)).equal(true);
        expect(unsealBytes(other, context, sealed)).equal(undefined);
        if (!another.equals(context)) expect(unsealBytes(key, another, sealed)).equal(undefined);
      }),
    );
  });

  it('does not open what was changed or cut anywhere', () => {
    const sealed = sealBytes(key, Buffer.from('a'), Buffer.from('text'));
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(unsealBytes(key, Buffer.from('a'), changed), `byte ${at}`).equal(undefined);
      expect(unsealBytes(key, Buffer.from('a'), sealed.subarray(0, at)), `cut at ${at}`).equal(undefined);
    }
  });
});
