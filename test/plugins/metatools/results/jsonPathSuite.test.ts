import { expect } from 'chai';
import { messageOf } from '../../../../kernel/errors.ts';
import { SelectFault, select } from '../../../../plugins/metatools/results/select.ts';
import { textOf } from '../../../support/sources.ts';

/** One case of github.com/jsonpath-standard/jsonpath-compliance-test-suite (BSD-2-Clause), which comes with jsonpath-rfc9535. */
interface Case {
  readonly name: string;
  readonly selector: string;
  readonly invalid_selector?: true;
  readonly document?: unknown;
  readonly result?: readonly unknown[];
  /** Any of these, where the order of an object's members decides. */
  readonly results?: readonly (readonly unknown[])[];
}

const SUITE = 'node_modules/jsonpath-rfc9535/src/__tests__/jsonpath-compliance-test-suite/cts.json';
const { tests } = JSON.parse(textOf(SUITE)) as { readonly tests: readonly Case[] };

function selected({ document, selector }: Case): string {
  try {
    const found = select(JSON.stringify(document), selector, { offset: 0, limit: Infinity });
    return 'media' in found ? found.media : found.shown;
  } catch (error) {
    // A path to one place that is not there is an error, which names what is there.
    if (messageOf(error).startsWith('select finds nothing at ')) return '[]';
    throw error;
  }
}
/** A path to one place returns its value, without a list, and a string without quotes. */
function shown(values: readonly unknown[], isOne: boolean): string {
  const [only] = values;
  if (isOne && values.length === 1) return typeof only === 'string' ? only : JSON.stringify(only, null, 2);
  return JSON.stringify(values, null, 2);
}

describe('metatools: the compliance test suite of RFC 9535', () => {
  const valid = tests.filter((one) => one.invalid_selector === undefined);
  const invalid = tests.filter((one) => one.invalid_selector === true);

  it('is whole', () => {
    expect([valid.length, invalid.length]).to.deep.equal([442, 245]);
  });

  it('selects as each of its valid paths does', () => {
    for (const one of valid) {
      const wanted = one.results ?? [one.result ?? []];
      const texts = wanted.flatMap((each) => [shown(each, false), shown(each, true)]);
      expect(texts, `${one.name}: ${one.selector}`).to.include(selected(one));
    }
  });

  it('refuses each of its invalid paths, but for white space around the path', () => {
    const taken: string[] = [];
    for (const one of invalid) {
      try {
        selected({ ...one, document: null });
        taken.push(one.name);
      } catch (error) {
        expect(error, `${one.name}: ${one.selector}`).to.be.instanceOf(SelectFault);
        expect(messageOf(error)).to.match(/^select is invalid at character \d+: /);
      }
    }
    expect(taken).to.deep.equal(['basic, no leading whitespace', 'basic, no trailing whitespace']);
  });
});
