import { expect } from 'chai';
import fc from 'fast-check';
import { anyCharacter } from '../../../../support/anyCharacter.ts';
import { decoded } from '../../../../../plugins/front/stateless/envelope.ts';
import { headerValue } from '../../../../../plugins/upstream/client/rpc/headerValue.ts';

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom('=', '?', 'base64', ' ', '\t', '\r\n', 'a', 'ü', '\u0000') }),
);

describe('upstream: texts in headers', () => {
  it('are read back by the front as they were', () => {
    fc.assert(fc.property(anyText, (text) => void expect(decoded(headerValue(text))).equal(text)));
  });

  it('are what HTTP can hold, and does not change', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const value = headerValue(text);
        expect(value)
          .match(/^[\t\x20-\x7e]+$/)
          .equal(value.trim());
        expect(new Headers({ 'mcp-name': value }).get('mcp-name')).equal(value);
      }),
    );
  });

  it('are written as they are if nothing speaks against it', () => {
    for (const text of ['echo', 'a b\tc', 'file:///a?b=c', '=?base64?', '?='])
      expect(headerValue(text)).equal(text);
  });

  it('are encoded if a reader could take them for encoded ones', () => {
    for (const text of ['', ' a', 'ü', '=?base64?YQ==?=', '=?base64??=', '=?base64?='])
      expect(headerValue(text)).equal(`=?base64?${Buffer.from(text).toString('base64')}?=`);
  });
});
