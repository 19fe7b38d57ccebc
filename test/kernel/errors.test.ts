import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ERROR_CODES, GatewayError, isGatewayError, messageOf } from '../../kernel/errors.ts';

describe('Error codes', () => {
  it('stand in kernel/README.md with the same meaning, all of them and no others', () => {
    const readme = readFileSync(new URL('../../../kernel/README.md', import.meta.url), 'utf8');
    const rows = [...readme.matchAll(/^\| `?([A-Z]+_[A-Z_]+)`? +\| (.+?) +\|$/gm)].map(
      ([, code, meaning]) => [code, meaning],
    );
    expect(Object.fromEntries(rows)).to.deep.equal(ERROR_CODES);
  });

  it('are FAMILY_REASON', () => {
    for (const code of Object.keys(ERROR_CODES)) {
      expect(code).to.match(/^[A-Z]+(_[A-Z]+)+$/);
    }
  });
});

describe('GatewayError', () => {
  it('keeps code, cause and details, and may be shown unless it says otherwise', () => {
    const cause = new Error('why');
    const error = new GatewayError('STORE_CONFLICT', 'exists', { cause, details: { name: 'x' } });
    expect(error).to.include({ code: 'STORE_CONFLICT', message: 'exists', expose: true, cause });
    expect(error.details).to.deep.equal({ name: 'x' });
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

  it('has words for whatever was thrown', () => {
    expect(messageOf(new Error('boom'))).to.equal('boom');
    expect(messageOf('boom')).to.equal('boom');
    expect(messageOf(undefined)).to.equal('undefined');
  });
});
