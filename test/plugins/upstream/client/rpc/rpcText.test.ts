import { expect } from 'chai';
import { requestText, rpcText, withMembers } from '../../../../../plugins/upstream/client/rpc/rpcText.ts';

const meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

describe('upstream: the text of a request', () => {
  it('is one JSON-RPC request, with empty params when there are none', () => {
    expect(requestText(7, rpcText('ping'))).to.equal('{"jsonrpc":"2.0","id":7,"method":"ping","params":{}}');
  });

  it('contains the params of an object without undefined members', () => {
    const params = { ref: { name: 'a "b"\n{' }, argument: [1, {}], context: undefined };
    expect(JSON.parse(requestText(1, rpcText('completion/complete', params)))).to.deep.equal({
      jsonrpc: '2.0',
      id: 1,
      method: 'completion/complete',
      params: { ref: { name: 'a "b"\n{' }, argument: [1, {}] },
    });
  });

  it('contains members that are JSON text already unchanged', () => {
    const members = '"name":"echo","arguments":{ "b":1.0, "a":"\\u00e9}}" }';
    const text = requestText(2, rpcText('tools/call', members));
    expect(text).to.equal(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{${members}}}`);
    expect(() => void JSON.parse(text)).not.to.throw();
  });

  it('contains further members behind its own, and envelope, progress token and further keys in one _meta', () => {
    const further = withMembers(rpcText('tools/call', '"name":"a"', { name: 'a' }), '"requestState":"s"');
    expect([further.name, further.method]).to.deep.equal(['a', 'tools/call']);
    expect(withMembers(rpcText('m'), '"a":1').members).to.equal('"a":1');
    const text = requestText(1, further, { envelope: '"e":{}', progressToken: 1, meta });
    expect((JSON.parse(text) as { params: unknown }).params).to.deep.equal({
      name: 'a',
      requestState: 's',
      _meta: { e: {}, progressToken: 1, ...meta },
    });
  });

  for (const [what, params] of [
    ['no params', undefined],
    ['an empty object', {}],
    ['members without a value', { cursor: undefined }],
    ['an object', { uri: 'x://y' }],
    ['members as text', '"name":"echo","arguments":{}'],
  ] as const) {
    it(`puts progress token and further keys behind ${what}`, () => {
      const metaOf = (meta: Parameters<typeof requestText>[2]): unknown =>
        (JSON.parse(requestText(3, rpcText('m', params), meta)) as { params: { _meta?: unknown } }).params[
          '_meta'
        ];
      expect(metaOf({})).to.equal(undefined);
      expect(metaOf({ progressToken: 3 })).to.deep.equal({ progressToken: 3 });
      expect(metaOf({ meta })).to.deep.equal(meta);
      expect(metaOf({ progressToken: 3, meta })).to.deep.equal({ progressToken: 3, ...meta });
    });
  }
});
