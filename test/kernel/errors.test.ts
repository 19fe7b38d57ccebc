import { expect } from 'chai';
import { GatewayError, isGatewayError, messageOf } from '../../kernel/errors.ts';
import { tableBelow } from '../schemas/markdown.ts';
import { declaredIn } from '../support/declared.ts';
import { sourcesBelow, textOf } from '../support/sources.ts';

const DECLARED = declaredIn('kernel/contracts/errorCodes.ts', 'ErrorCodes');

describe('Error codes', () => {
  it('of the kernel are exactly those listed in kernel/README.md, with the same meaning', () => {
    const readme = textOf('kernel/README.md');
    const rows = tableBelow(readme, 'Error codes').map(([code = '', meaning = '']) => [code, meaning]);
    expect(rows).to.deep.equal([...DECLARED]);
  });

  it('of the kernel are exactly those that it throws', () => {
    const text = sourcesBelow('kernel')
      .filter((path) => !path.startsWith('kernel/contracts/'))
      .map(textOf)
      .join('\n');
    const thrown = [
      ...text.matchAll(/(?:GatewayError\(\s*|code: |code \?\? |: )'((?!PEGBOARD_)[A-Z]+_[A-Z_]+)'/g),
    ];
    expect([...new Set(thrown.map(([, code]) => code))].sort()).to.deep.equal([...DECLARED.keys()].sort());
  });
});

describe('GatewayError', () => {
  it('keeps code, cause and details, and may be shown unless it declares otherwise', () => {
    const cause = new Error('why');
    const error = new GatewayError('TOOL_DUPLICATE', 'exists', { cause, details: { tool: 'x' } });
    expect(error).to.include({ code: 'TOOL_DUPLICATE', message: 'exists', expose: true, cause });
    expect(error.details).to.deep.equal({ tool: 'x' });
    expect(new GatewayError('PLUGIN_TAP', 'x', { expose: false })).to.include({ expose: false });
    expect('cause' in new GatewayError('PLUGIN_TAP', 'x')).to.equal(false);
  });

  it('is recognised from another copy of the package, and nothing else is', () => {
    class Foreign extends Error {
      override readonly name = 'GatewayError';
      readonly code = 'TOOL_NOT_FOUND';
      readonly expose = true;
    }
    expect(isGatewayError(new Foreign('x'))).to.equal(true);
    for (const other of [new Error('x'), undefined, 'x', { name: 'GatewayError', code: 'X', expose: true }]) {
      expect(isGatewayError(other)).to.equal(false);
    }
  });

  it('yields a message for any thrown value', () => {
    expect(messageOf(new Error('boom'))).to.equal('boom');
    expect(messageOf('boom')).to.equal('boom');
    expect(messageOf(undefined)).to.equal('undefined');
  });
});
