import { expect } from 'chai';
import fc from 'fast-check';
import { parseTemplate } from '@pegboard/gotpl';
import { parseDuration } from '../../../../plugins/kit/text/parseDuration.ts';

/** Nanoseconds, read by a template. */
const nanoseconds = parseTemplate('{{ (toDate "2006" "1970" | dateModify .).UnixNano }}');

describe('lib: durations', () => {
  it('are read as the template functions read them, which count in nanoseconds', () => {
    const part = fc.tuple(
      fc.integer({ min: 0, max: 999 }),
      fc.constantFrom('', '.5', '.25', '.000'),
      fc.constantFrom('ns', 'us', 'µs', 'ms', 's', 'm', 'h'),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const text = parts.map((one) => one.join('')).join('');
        expect(parseDuration(text)).closeTo(Number(nanoseconds.render(text)) / 1e6, 1e-5);
      }),
    );
  });

  it('need a unit and no sign', () => {
    expect(parseDuration('1m30s')).equal(90_000);
    for (const text of ['', '1', '-1s', '+1s', '1 s', '1d', '1.s', '.5s', 'x1s', '1sx', '1e3s'])
      expect(parseDuration(text), text).equal(undefined);
  });
});
