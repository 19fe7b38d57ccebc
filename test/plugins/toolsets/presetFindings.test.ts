import { expect } from 'chai';
import { validate } from '../../../kernel/config/validate.ts';
import type { ToolsetsConfig } from '../../../plugins/toolsets/config.ts';
import { presetFindings } from '../../../plugins/toolsets/presetFindings.ts';
import { plugin } from '../../../plugins/toolsets/index.ts';

/** The findings of schema and check on presets, as at start-up. */
function faultsOf(toolsetPresets: object): readonly string[] {
  const { value, findings } = validate(plugin.configSchema, { toolsetPresets });
  const found = findings.length > 0 ? findings : presetFindings(value as ToolsetsConfig);
  return found.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('toolsets: presets at start-up', () => {
  it('accepts valid presets', () => {
    expect(
      faultsOf({
        a: { include: [{ preset: 'b' }, { pattern: 'x_[a-c]*' }] },
        b: { include: [{ readOnly: true }] },
      }),
    ).to.deep.equal([]);
    expect(faultsOf({ a: {}, deep: { include: [{ preset: 'a' }, { preset: 'full' }] } })).to.deep.equal([]);
  });

  const refused: readonly (readonly [string, object, RegExp])[] = [
    [
      'a built-in preset is redefined',
      { none: {} },
      /^toolsetPresets\.none: toolset preset "none": it is built in/,
    ],
    [
      'a rule has no key',
      { a: { include: [{}] } },
      /^toolsetPresets\.a\.include\.0: toolset preset "a": include\[0\] has no key/,
    ],
    [
      'a rule has two keys',
      { a: { exclude: [{ tool: 'x', server: 'y' }] } },
      /"a": exclude\[0\] has 2 keys \(tool, server\)/,
    ],
    [
      'a pattern is invalid',
      { a: { include: [{ pattern: 'x_[' }] } },
      /"a": include\[0\] has the invalid pattern "x_\["/,
    ],
    [
      'an unknown preset is included',
      { ab: { include: [{ preset: 'ac' }] }, acc: {} },
      /"ab": include\[0\] names the unknown preset "ac"/,
    ],
    ['a preset is excluded', { a: { exclude: [{ preset: 'full' }] } }, /"a": exclude\[0\] composes a preset/],
    [
      'presets include one another',
      { a: { include: [{ preset: 'b' }] }, b: { include: [{ preset: 'a' }] } },
      /"a": presets include one another in a cycle: a → b → a/,
    ],
    ['a preset includes itself', { a: { include: [{ preset: 'a' }] } }, /cycle: a → a/],
    [
      'a label is not a pair',
      { a: { include: [{ label: 'web' }] } },
      /"a": include\[0\] label is not key=value/,
    ],
    ['a name contains a comma', { 'a,b': {} }, /"a,b": its name/],
    [
      'a key is unknown',
      { a: { includes: [] } },
      /^toolsetPresets\.a\.includes: toolset preset "a": unknown key "includes"; did you mean "include"/,
    ],
    [
      'a rule has an unknown key',
      { mine: { include: [{ tool: 'a' }, { toool: 'b' }] } },
      /^toolsetPresets\.mine\.include\.1\.toool: toolset preset "mine": include\[1\] has the unknown key "toool"; did you mean "tool"\?$/,
    ],
    ['readOnly is false', { a: { include: [{ readOnly: false }] } }, /readOnly must be true/],
  ];
  for (const [what, presets, message] of refused) {
    it(`refuses to start when ${what}`, () => {
      expect(faultsOf(presets).join('\n')).to.match(message);
    });
  }

  it('reports every fault, not only the first', () => {
    const faults = faultsOf({
      full: {},
      a: { include: [{}, { pattern: '[' }, { preset: 'b' }] },
      b: { include: [{ preset: 'c' }] },
      c: { include: [{ preset: 'b' }] },
    });
    expect(faults).to.have.length(4);
  });
});
