import { expect } from 'chai';
import { ANYONE } from '../../../../kernel/index.ts';
import { metaOf } from '../../../../plugins/front/message/metaOf.ts';

const TRACE = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

describe('front: metaOf', () => {
  it('keeps keys with a prefix of the client, and the trace', () => {
    const own = {
      'example.com/key': { a: [1, null] },
      'claudecode/toolUseId': 'x',
      'com.example.mcpx/a': false,
      'pegboard.dev.example/a': 0,
    };
    expect(metaOf({ _meta: { ...own, ...TRACE } }, ANYONE)).deep.equal({ ...own, ...TRACE });
    expect(metaOf({ _meta: own }, ANYONE)).deep.equal(own);
  });

  it('leaves out keys without a prefix, keys of the protocol and keys of Pegboard', () => {
    const _meta = {
      progressToken: 1,
      bare: 1,
      '': 1,
      '/name': 1,
      'io.modelcontextprotocol/related-task': 1,
      'IO.ModelContextProtocol/x': 1,
      'modelcontextprotocol.io/x': 1,
      'api.modelcontextprotocol.org/x': 1,
      'mcp/x': 1,
      'mcp.dev/x': 1,
      'com.mcp.tools/x': 1,
      'pegboard.dev/owner': 1,
    };
    expect(metaOf({ _meta }, ANYONE)).equal(undefined);
    expect(metaOf({ _meta: { ..._meta, ...TRACE } }, ANYONE)).deep.equal(TRACE);
  });

  it('is undefined if the request says nothing to servers', () => {
    for (const params of [{}, { _meta: {} }, { _meta: null }, { _meta: ['example.com/a'] }, { _meta: 'a/b' }])
      expect(metaOf(params, ANYONE), JSON.stringify(params)).equal(undefined);
  });
});
