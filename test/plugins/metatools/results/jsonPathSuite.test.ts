import { expect } from 'chai';
import { isGatewayError, messageOf } from '../../../../kernel/errors.ts';
import { JsonReader, PAUSE } from '../../../../plugins/metatools/results/jsonReader.ts';
import type { Pausing } from '../../../../plugins/metatools/results/jsonReader.ts';
import { parseJsonPath } from '../../../../plugins/metatools/results/parseJsonPath.ts';
import { selectFrom } from '../../../../plugins/metatools/results/selectFrom.ts';
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

/** What RFC 9535 has and select does not. */
const UNSUPPORTED: Readonly<Record<string, RegExp>> = {
  'a function': /[a-z]\(/,
  '&& or ||': /&&|\|\|/,
  '!': /\?\s*!/,
  'the root in a filter': /\?\$/,
  'a path compared with a path': /[=<>]\s*@/,
};
/** What RFC 9535 refuses and select takes. */
const TAKEN: Readonly<Record<string, RegExp>> = {
  'white space around the path': /^basic, no (leading|trailing) whitespace$/,
  'any character in a name after a dot but those that end it': /^basic, name shorthand, (symbol|number)$/,
  'a comparison that holds for any of several places': /^filter,( relative)? non-singular query/,
};
const isAmong = (rules: Readonly<Record<string, RegExp>>, text: string): boolean =>
  Object.values(rules).some((rule) => rule.test(text));

/** What a generator that pauses comes to. */
function end<T>(pausing: Pausing<T>): T {
  let step = pausing.next();
  while (step.done !== true) step = pausing.next();
  return step.value;
}
function selected({ document, selector }: Case): readonly unknown[] {
  const reader = new JsonReader(JSON.stringify(document), 1_000_000);
  const path = parseJsonPath(selector, 8);
  try {
    const selection = end(selectFrom(reader, path));
    const places = 'at' in selection ? [selection.at] : [...selection.places].filter((at) => at !== PAUSE);
    return places.map((at): unknown => JSON.parse(reader.text.slice(at, end(reader.end(at)))));
  } catch (error) {
    // A path to one place that is not there is an error, which names what is there.
    if (messageOf(error).startsWith('select finds nothing at ')) return [];
    throw error;
  }
}
function refusal({ selector }: Case): string | undefined {
  try {
    parseJsonPath(selector, 8);
    return undefined;
  } catch (error) {
    return isGatewayError(error) ? `${error.code} ${error.message}` : `unexpected: ${messageOf(error)}`;
  }
}

describe('metatools: the compliance test suite of RFC 9535', () => {
  const valid = tests.filter((one) => one.invalid_selector === undefined);
  const invalid = tests.filter((one) => one.invalid_selector === true);

  it('is whole', () => {
    expect([valid.length, invalid.length]).to.deep.equal([442, 245]);
  });

  it('selects as each of its valid paths that is supported does', () => {
    for (const one of valid.filter(({ selector }) => !isAmong(UNSUPPORTED, selector))) {
      const found = JSON.stringify(selected(one));
      const wanted = one.results ?? [one.result];
      expect(
        wanted.map((each) => JSON.stringify(each)),
        `${one.name}: ${one.selector}`,
      ).to.include(found);
    }
  });

  for (const [feature, pattern] of Object.entries(UNSUPPORTED))
    it(`refuses ${feature}, and says that it is not supported`, () => {
      const cases = valid.filter(({ selector }) => pattern.test(selector));
      expect(cases).to.have.length.above(0);
      for (const one of cases)
        expect(refusal(one), one.selector).to.match(
          /^TOOL_ARGUMENTS select does not support .+ at character \d+;/,
        );
    });

  it('refuses each of its invalid paths, but for those that select takes', () => {
    for (const one of invalid.filter(({ name }) => !isAmong(TAKEN, name)))
      expect(refusal(one), `${one.name}: ${one.selector}`).to.match(/^TOOL_ARGUMENTS select /);
  });

  for (const [what, pattern] of Object.entries(TAKEN))
    it(`takes ${what}`, () => {
      const cases = invalid.filter(({ name }) => pattern.test(name));
      expect(cases).to.have.length.above(0);
      expect(cases.filter((one) => refusal(one) !== undefined).map(({ name }) => name)).to.deep.equal([]);
    });
});
