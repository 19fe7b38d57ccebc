import { expect } from 'chai';
import { callerKey } from '../../../kernel/lib/callerKey.ts';

describe('callerKey', () => {
  it('is one for one caller, and another for any other, whatever stands in the names', () => {
    const callers = [
      { subject: 'a' },
      { subject: 'a', issuer: '' },
      { subject: 'b c', issuer: 'a' },
      { subject: 'c', issuer: 'a b' },
      { subject: 'c', issuer: 'a|b' },
      { subject: 'b|c', issuer: 'a' },
    ];
    expect(new Set(callers.map(callerKey)).size).to.equal(callers.length);
    expect(callerKey({ subject: 'a', issuer: 'i' })).to.equal(callerKey({ issuer: 'i', subject: 'a' }));
  });
});
