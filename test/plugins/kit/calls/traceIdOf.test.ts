import { expect } from 'chai';
import { traceIdOf } from '../../../../plugins/kit/calls/traceIdOf.ts';

describe('traceIdOf', () => {
  it('is the second part of traceparent', () => {
    const id = '0af7651916cd43dd8448eb211c80319c';
    expect(traceIdOf({ traceparent: `00-${id}-b7ad6b7169203331-01` })).equal(id);
  });

  it('is undefined without a trace', () => {
    expect(traceIdOf(undefined)).equal(undefined);
    expect(traceIdOf({ 'example.com/a': 1 })).equal(undefined);
  });
});
