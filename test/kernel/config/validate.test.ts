import { expect } from 'chai';
import { isValidSchema, validate, validateArguments } from '../../../kernel/config/validate.ts';
import { refusalOf } from '../../support/kernel.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['command'],
  properties: {
    command: { type: 'string' },
    timeout: { type: 'integer', minimum: 1, default: 30 },
    mode: { enum: ['fast', 'safe'] },
    autoStart: { type: 'boolean', default: false },
    env: { type: 'object', writeOnly: true, additionalProperties: { type: 'string', writeOnly: true } },
    headers: {
      type: 'object',
      writeOnly: true,
      additionalProperties: { type: 'string', writeOnly: true, pattern: '^[ -~]*$' },
    },
    nested: { type: 'object', default: {}, properties: { deep: { type: 'number', default: 7 } } },
  },
};
function messages(value: unknown, against: Record<string, unknown> = schema): string[] {
  return validate(against, value).findings.map(({ message }) => message);
}

describe('validate', () => {
  it('fills in defaults on a copy, also inside defaults', () => {
    const given = { command: 'x' };
    const { value, findings } = validate(schema, given);
    expect(findings).to.deep.equal([]);
    expect(value).to.deep.equal({ command: 'x', timeout: 30, autoStart: false, nested: { deep: 7 } });
    expect(given).to.deep.equal({ command: 'x' });
  });

  it('does not share a default between two values', () => {
    const first = validate(schema, { command: 'x' }).value as { nested: Record<string, unknown> };
    first.nested['deep'] = 0;
    expect(validate(schema, { command: 'x' }).value).to.have.deep.property('nested', { deep: 7 });
  });

  it('suggests the key that was meant', () => {
    const { findings } = validate(schema, { command: 'x', autostart: true });
    expect(findings).to.deep.equal([
      { path: ['autostart'], message: 'unknown key "autostart"; did you mean "autoStart"?' },
    ]);
  });

  it('lists the known keys when none is near', () => {
    expect(messages({ command: 'x', zzz: 1 })[0]).to.match(
      /^unknown key "zzz"; known keys: command, timeout, /,
    );
  });

  it('describes a wrong type, an enum, a missing key and a limit, with its path', () => {
    expect(messages({ command: 1 })).to.deep.equal(['command must be a string, not 1']);
    expect(messages({ command: 'x', mode: 'slow' })).to.deep.equal([
      'mode must be one of the enum values "fast", "safe", not "slow"',
    ]);
    expect(messages({})).to.deep.equal(['command is required']);
    expect(messages({ command: 'x', timeout: 0 })).to.deep.equal([
      'timeout must be at least 1 (minimum), not 0',
    ]);
    expect(messages('x')).to.deep.equal(['the value must be an object, not "x"']);
    expect(messages(null)[0]).to.match(/must be an object, not null$/);
    expect(validate(schema, { command: 'x', nested: { deep: 'a' } }).findings[0]?.path).to.deep.equal([
      'nested',
      'deep',
    ]);
  });

  it('names every fault, not only the first', () => {
    expect(messages({ timeout: 'a', mode: 1, zzz: 1 })).to.have.length(4);
  });

  it('names the first hundred faults of a value that is wrong throughout', () => {
    const schema = { type: 'object', additionalProperties: { type: 'string' } };
    const value = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`key_${at}`, at]));
    const { findings } = validate(schema, value);
    expect(findings).to.have.length(100);
    expect(findings[99]?.path).to.deep.equal(['key_99']);
  });

  it('decodes escaped path parts', () => {
    const slashed = { type: 'object', properties: { 'a/b~c': { type: 'number' } } };
    expect(validate(slashed, { 'a/b~c': 'x' }).findings[0]?.path).to.deep.equal(['a/b~c']);
  });

  it('says which kind a value has that should be a text and may be secret, and that quotes help', () => {
    expect(messages({ command: 'x', env: { PORT: 8080, ON: true, EMPTY: null } })).to.deep.equal([
      'env.PORT must be a string, not a number; put it in quotes',
      'env.ON must be a string, not a boolean; put it in quotes',
      'env.EMPTY must be a string, not that',
    ]);
  });

  it('never shows values that are writeOnly', () => {
    const secret = 's3cret';
    for (const value of [
      { command: 'x', env: { TOKEN: { nested: secret } } },
      { command: 'x', env: [secret] },
      { command: 'x', env: secret },
      { command: 'x', headers: { Authorization: `${secret}\n` } },
      { command: 'x', headers: { Authorization: [secret] } },
      [{ env: { TOKEN: secret } }],
    ]) {
      const text = messages(value).join();
      expect(text).not.to.equal('');
      expect(text).not.to.contain(secret);
    }
  });

  it('never shows them when the fault is in their parent', () => {
    const secret = 's3cret';
    const holder = { ...schema, not: { required: ['env'] }, maxProperties: 1 };
    const text = messages({ env: { TOKEN: secret }, command: 'x' }, holder).join();
    expect(text).not.to.equal('');
    expect(text).not.to.contain(secret);
  });

  it('never shows a value that is writeOnly, what is below it, or a text in place of what holds it', () => {
    const secret = { type: 'string', writeOnly: true, minLength: 20, pattern: '^x', enum: ['none'] };
    const holder = {
      type: 'object',
      properties: {
        alone: secret,
        either: { anyOf: [secret, { type: 'array', items: secret }] },
        deep: {
          type: 'object',
          writeOnly: true,
          additionalProperties: false,
          properties: { part: { type: 'string', minLength: 20 } },
        },
        list: { type: 'array', items: { $ref: '#/$defs/one' } },
      },
      $defs: { one: { type: 'object', additionalProperties: false, properties: { secret } } },
    };
    const values = ['s3cret', 53_110, [53_110], { a: 's3cret' }].flatMap((one) => [
      { alone: one },
      { either: one },
      { either: [one] },
      { deep: one },
      { deep: { part: one } },
      { list: one },
      { list: [one] },
      { list: [{ secret: one }] },
    ]);
    for (const value of values) {
      const text = messages(value, holder).join();
      expect(text)
        .not.equal('')
        .and.not.match(/s3cret|53110/);
    }
  });

  it('cuts long values', () => {
    expect(messages({ command: 'x', mode: 'y'.repeat(10_000) })[0]!.length).below(200);
  });

  it('reports why a schema does not compile', () => {
    expect(isValidSchema(schema)).to.equal(undefined);
    expect(isValidSchema({ type: 'strnig' })).to.be.a('string');
    expect(isValidSchema({ $ref: '#/nowhere' })).to.be.a('string');
  });
});

describe('validateArguments', () => {
  it('fills in defaults, or throws TOOL_ARGUMENTS with all faults', async () => {
    expect(validateArguments(schema, { command: 'x' }, 'tool')).to.include({ timeout: 30 });
    const error = await refusalOf(() => validateArguments(schema, { timeout: 'a' }, 'core_x'));
    expect(error.code).to.equal('TOOL_ARGUMENTS');
    expect(error.message)
      .to.contain('core_x')
      .and.contain('command is required')
      .and.contain('timeout must be an integer');
  });
});
