import { expect } from 'chai';
import { inWords } from '../../../../plugins/kit/text/inWords.ts';

describe('plugins/kit: inWords', () => {
  it('names a time by its largest unit, before and after now', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const at = (seconds: number): string => inWords(new Date(now + seconds * 1_000).toISOString(), now);
    expect([at(0), at(1), at(59), at(60), at(7_200), at(86_400 * 30)]).deep.equal([
      'in 0 seconds',
      'in 1 second',
      'in 59 seconds',
      'in 1 minute',
      'in 2 hours',
      'in 30 days',
    ]);
    expect(at(-120)).equal('2 minutes ago');
  });
});
