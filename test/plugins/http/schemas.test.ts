import { expect } from 'chai';
import { startEdge } from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { send } from '../../support/rawHttp.ts';
import { textOf } from '../../support/sources.ts';

describe('http: schemas for editors', () => {
  let edge: Edge;
  before(async () => {
    edge = await startEdge({});
  });

  it('are served to anyone, and named anew when they have changed', async () => {
    for (const name of ['config', 'mcpserver', 'workflow', 'toolsetpreset', 'access']) {
      const url = `${edge.url}/schemas/${name}.schema.json`;
      const first = await send(url);
      expect(first.status, name).equal(200);
      expect(first.text).equal(textOf(`schemas/editor/${name}.schema.json`));
      expect(first.headers['content-type']).equal('application/schema+json');
      expect(first.headers['cache-control']).equal('public, max-age=300');
      const etag = String(first.headers.etag);
      const again = await send(url, { headers: { 'if-none-match': `W/${etag}` } });
      expect([again.status, again.text]).deep.equal([304, '']);
      expect((await send(url, { headers: { 'if-none-match': '"other"' } })).status).equal(200);
    }
  });

  it('are those five files and no other', async () => {
    for (const path of ['config', 'kinds/workflow.schema.json', '..%2fpackage.json', 'tls.schema.json'])
      expect((await send(`${edge.url}/schemas/${path}`)).status, path).equal(404);
    expect((await send(`${edge.url}/schemas/config.schema.json`, { method: 'HEAD' })).text).equal('');
  });
});
