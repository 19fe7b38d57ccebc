import { expect } from 'chai';
import { RunSecrets } from '../../../../plugins/workflow/run/runSecrets.ts';

describe('plugins/workflow: secrets', () => {
  it('are masked in texts, numbers and keys, also encoded; short ones only where they are the whole value', () => {
    const secrets = new RunSecrets();
    secrets.add(['p/w 4711', '47']);
    const masked = secrets.mask({
      text: 'it is p/w 4711',
      url: '?k=p%2Fw+4711',
      coded: Buffer.from('p/w 4711').toString('base64url'),
      'p/w 4711': 1,
      short: ['47', 47, '474', 474],
    });
    expect(masked).to.deep.equal({
      text: 'it is [redacted]',
      url: '?k=[redacted]',
      coded: '[redacted]',
      '[redacted]': 1,
      short: ['[redacted]', '[redacted]', '474', 474],
    });
  });

  it('leave a value unchanged when there are none', () => {
    const value = { a: 'b' };
    expect(new RunSecrets().mask(value)).to.equal(value);
  });
});
