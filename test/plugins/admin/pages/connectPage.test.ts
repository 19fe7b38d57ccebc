import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { listenerUrl } from '../../../support/edge.ts';
import { bootGateway } from '../../../support/gateway.ts';
import { RELAY } from '../../../support/relayGateway.ts';
import { until } from '../../../support/until.ts';
import { openAdmin, siteAt } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

interface List {
  readonly tools: number;
  readonly tokens: number;
}
interface Connect {
  readonly url?: string;
  readonly clients: readonly { readonly name: string; readonly line?: string }[];
  readonly cost: { readonly metaTools: List; readonly allTools: List };
}
const relay = { type: 'stdio', command: [process.execPath, ...RELAY, 'stdio'], autoStart: true };

describe('the page that connects clients', () => {
  const openWith = async (aggregator: JsonObject): Promise<AdminSite> =>
    siteAt(
      await bootGateway({
        builtIns: 'all',
        files: { 'state/made': '' },
        aggregator: { host: '127.0.0.1', port: 0, admin: { enabled: true, port: 0 }, ...aggregator },
      }),
    );

  it('has the line of each client, or its entry, in a field from which it can be copied', async () => {
    const site = await openAdmin();
    const url = `${new URL(listenerUrl(site.gateway)).origin}/mcp`;
    const { text } = await site.get('/connect');
    for (const line of [
      `claude mcp add --transport http pegboard ${url}`,
      `codex mcp add pegboard --url ${url}`,
      `npx -y @modelcontextprotocol/inspector --cli ${url}`,
    ])
      expect(text).include(line);
    expect(text).match(/<code>~\/\.cursor\/mcp\.json<\/code>/);
    expect(text).match(/<label for="line-codex" class="spoken">Line for Codex<\/label>/);
    expect(text).match(/<textarea\s+id="line-codex"[^>]*\sreadonly/);
    expect(text.match(/data-copy="/g)?.length).equal(
      (await site.facts<Connect>('/connect')).clients.length + 1,
    );
    expect((await site.get('/copy.js')).headers['content-type']).include('text/javascript');
  });

  it('says what the meta-tools and all tools of servers take of a context, as the overview does', async () => {
    const site = await openAdmin({ files: { 'mcpservers/ok.yaml': JSON.stringify(relay) } });
    const { metaTools, allTools } = await until(async () => {
      const { cost } = await site.facts<Connect>('/connect');
      return cost.allTools.tools > 0 ? cost : undefined;
    });
    expect(metaTools.tools).equal(13);
    const { tokens, tools } = await site.facts<{ tokens: number; tools: { total: number } }>('/mcps/ok');
    expect(allTools).deep.equal({ tools: tools.total, tokens });
    const { text } = await site.get('/');
    expect(text).include(
      `<a href="/connect#tokens"><b>${metaTools.tokens.toLocaleString('en')} tokens</b></a>`,
    );
    expect(text).include(`all ${tools.total} tools would take ${tokens.toLocaleString('en')}`);
  });

  it('names the command that writes the local token, and never the token', async () => {
    const site = await openWith({ localToken: true });
    const token = readFileSync(join(site.gateway.directory.path, 'state', 'local-token'), 'utf8').trim();
    const { text } = await site.get('/connect');
    expect(text).include('pegboard link claude-code').and.include('pegboard link cursor');
    expect(text).not.include('claude mcp add');
    expect(text + JSON.stringify(await site.facts('/connect'))).not.include(token);
  });

  it('says that a host is a guess where the gateway listens everywhere', async () => {
    const site = await openWith({ host: '0.0.0.0' });
    const { url } = await site.facts<Connect>('/connect');
    expect(url).match(/^http:\/\/localhost:\d+\/mcp$/);
    expect((await site.get('/connect')).text).include('From other machines');
  });

  it('takes the address that browsers use, if there is one', async () => {
    const publicUrl = 'https://gateway.example.com/base';
    const site = await openWith({ oauth: { mcpClient: { enabled: true, publicUrl } } });
    expect((await site.facts<Connect>('/connect')).url).equal(`${publicUrl}/mcp`);
  });

  it('takes no address of browsers that is switched off', async () => {
    const publicUrl = 'https://gateway.example.com/base';
    const site = await openWith({ oauth: { mcpClient: { enabled: false, publicUrl } } });
    expect((await site.facts<Connect>('/connect')).url).match(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  it('has no lines for a gateway without streamable HTTP', async () => {
    const site = await openWith({ transport: 'sse' });
    expect(await site.facts<Connect>('/connect')).deep.include({ clients: [] });
    expect((await site.get('/connect')).text).include('serve --transport stdio');
  });
});
