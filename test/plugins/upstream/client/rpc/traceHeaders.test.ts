import { expect } from 'chai';
import { traceHeaders } from '../../../../../plugins/upstream/client/rpc/traceHeaders.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('upstream: headers of a trace', () => {
  it('are its three values, name and value in turn', () => {
    const headers = traceHeaders({ traceparent, tracestate: 'a=1', baggage: 'b=2', 'example.com/c': 3 });
    expect(headers).deep.equal(['traceparent', traceparent, 'tracestate', 'a=1', 'baggage', 'b=2']);
  });

  it('are absent without a trace', () => {
    expect(traceHeaders(undefined)).equal(undefined);
    expect(traceHeaders({ baggage: 'b=2', 'example.com/c': 3 })).equal(undefined);
  });

  it('leave out what a header cannot hold', () => {
    for (const baggage of ['', 'a\nb', 'a\u0000', 'ä=1', 'x'.repeat(4_097)])
      expect(traceHeaders({ traceparent, baggage }), JSON.stringify(baggage)).deep.equal([
        'traceparent',
        traceparent,
      ]);
    expect(traceHeaders({ traceparent, tracestate: 'x'.repeat(513) })).have.length(2);
    expect(traceHeaders({ traceparent, tracestate: 'x'.repeat(512) })).have.length(4);
  });
});
