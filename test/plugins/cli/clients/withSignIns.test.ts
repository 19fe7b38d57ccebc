import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { parse } from 'yaml';
import { makeClientHome } from '../clientHome.ts';

describe('a remote at which people sign in', () => {
  let origin = '';
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource${request.url ?? ''}"`;
    response
      .writeHead(request.url === '/open' ? 202 : 401, { 'www-authenticate': `Bearer ${metadata}` })
      .end();
  });
  before((done) => {
    server.listen(0, '127.0.0.1', () => {
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });
  after((done) => {
    server.close(done);
    server.closeAllConnections();
  });

  it('gets auth in its definition, with what to set and to type', async () => {
    const mcpServers = {
      closed: { url: `${origin}/closed` },
      open: { url: `${origin}/open` },
      keyed: { url: `${origin}/keyed`, headers: { Authorization: 'Bearer x' } },
      off: { url: `${origin}/off`, disabled: true },
    };
    const home = makeClientHome({ '.cursor/mcp.json': JSON.stringify({ mcpServers }) });
    const { stderr } = await home.run(['import', '--yes', 'cursor']);
    const auth = Object.keys(mcpServers).map((name) => {
      const definition = parse(home.read(`.config/pegboard/mcpservers/${name}.yaml`)) as { auth?: unknown };
      return [name, definition.auth];
    });
    expect(Object.fromEntries(auth)).deep.equal({
      closed: { type: 'oauth' },
      open: undefined,
      keyed: undefined,
      off: undefined,
    });
    expect(stderr).include(
      'people sign in at closed, which got auth: { type: oauth }; set aggregator.oauth.mcpClient.enabled: true in config.yaml, then: pegboard auth login --server closed\n',
    );
    expect(asked).equal(2);
    expect((await home.run(['import', '--yes', 'cursor'])).stderr).equal('nothing to import\n');
    expect(asked).equal(2);
  });

  it('is not asked on behalf of a project', async () => {
    const before = asked;
    const mcpServers = { closed: { url: `${origin}/closed` } };
    const home = makeClientHome({ 'project/.mcp.json': JSON.stringify({ mcpServers }) });
    await home.run(['import', '--yes', '--project']);
    expect([asked, home.ownFiles().includes('mcpservers/closed.yaml')]).deep.equal([before, true]);
  });
});
