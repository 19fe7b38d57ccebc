import { expect } from 'chai';
import { mcpClient, startGateway } from '../contract/index.ts';
import type { McpClient, TestGateway } from '../contract/index.ts';
import { newBrowser } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { freePort } from '../support/everything.ts';
import { post, statelessCall } from '../support/stateless.ts';
import type { RawAnswer } from '../support/rawHttp.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import type { GuardedSite } from '../support/guardedSite.ts';
import { TalkingClient } from '../support/talkingClient.ts';
import type { Heard } from '../support/talkingClient.ts';

interface Started {
  readonly gateway: TestGateway;
  readonly site: GuardedSite;
  readonly client: McpClient;
}

/** A gateway for one person, with a server that wants a sign-in. */
async function start(directory?: string): Promise<Started> {
  const site = await startGuardedSite();
  const port = await freePort();
  const gateway = await startGateway({
    ...(directory !== undefined && { directory }),
    files: {
      'config.yaml': JSON.stringify({ aggregator: { port, oauth: { mcpClient: { enabled: true } } } }),
      'mcpservers/vault.yaml': site.definition(),
    },
  });
  defer(() => gateway.stop());
  return { gateway, site, client: await mcpClient(gateway.url()) };
}

async function textOf(client: McpClient, tool: string, args: object = {}): Promise<string> {
  const { content } = await client.callTool(tool, args as never);
  return String(content[0]?.['text']);
}
async function linkFor(client: McpClient): Promise<string> {
  const { structuredContent } = await client.callTool('core_auth_login', { server: 'vault' });
  return (structuredContent as { authUrl: string }).authUrl;
}

describe('Sign-in at a server', () => {
  it('takes one link, after which the next call of the same session succeeds', async () => {
    const { client } = await start();
    expect(await textOf(client, 'x_vault_whoami')).to.include('core_auth_login with {"server": "vault"}');
    const page = await newBrowser().open(await linkFor(client));
    expect(page.status, page.text).to.equal(200);
    expect(await textOf(client, 'x_vault_whoami')).to.include('"account":"alice"');
    const { content } = await client.callMeta('filter_tools', { query: 'whoami of the guarded server' });
    expect(String(content[0]?.['text'])).to.include('x_vault_whoami');
  });

  it('is named by list_tools, with the tool that gives the link, until the caller has signed in', async () => {
    const { client } = await start();
    const requiring = async (): Promise<unknown> => {
      const { content } = await client.callMeta('list_tools', { limit: 1 });
      return (JSON.parse(String(content[0]?.['text'])) as Record<string, unknown>)['servers_requiring_auth'];
    };
    expect(await requiring()).to.deep.equal([
      { name: 'vault', status: 'auth_required', auth_tool: 'core_auth_login' },
    ]);
    await newBrowser().open(await linkFor(client));
    expect(await requiring()).to.deep.equal([]);
  });

  it('is not replaced by a restart of the server, which is refused and leaves the link usable', async () => {
    const { client } = await start();
    const link = await linkFor(client);
    for (const operation of ['restart', 'start']) {
      const { isError, content } = await client.callTool(`core_service_${operation}`, { name: 'vault' });
      expect(isError).to.equal(true);
      expect(String(content[0]?.['text']))
        .to.include('service vault requires OAuth authentication')
        .and.include('core_auth_login');
    }
    expect((await newBrowser().open(link)).status).to.equal(200);
    expect(await textOf(client, 'x_vault_whoami')).to.include('"account":"alice"');
  });

  it('is offered by a question when a call meets a grant that is lost, and the call goes through', async () => {
    const { client, gateway, site } = await start();
    await newBrowser().open(await linkFor(client));
    expect(await textOf(client, 'x_vault_whoami')).to.include('alice');
    const asking = await TalkingClient.connect(gateway.url(), { elicitation: { url: {} } });
    const asked: Heard[] = [];
    asking.onAsked = (question) => {
      asked.push(question);
      void newBrowser().open(String(question.params?.['url']));
      return '"result":{"action":"accept"}';
    };
    await site.issuer.revoke('alice');
    const { result } = await asking.call('x_vault_whoami').answer();
    expect(JSON.stringify(result)).to.include('alice');
    expect(asked.map(({ method, params }) => [method, params?.['mode']])).to.deep.equal([
      ['elicitation/create', 'url'],
    ]);
  });

  it('is offered when a call names a tool of a server that the caller has not signed in to', async () => {
    const { gateway } = await start();
    const asking = await TalkingClient.connect(gateway.url(), { elicitation: { url: {} } });
    asking.onAsked = (question) => {
      void newBrowser().open(String(question.params?.['url']));
      return '"result":{"action":"accept"}';
    };
    const { result } = await asking.call('x_vault_whoami').answer();
    expect(JSON.stringify(result)).to.include('alice');
  });

  it('is not offered again to a person who has declined', async () => {
    const { client, gateway, site } = await start();
    await newBrowser().open(await linkFor(client));
    await textOf(client, 'x_vault_whoami');
    const asking = await TalkingClient.connect(gateway.url(), { elicitation: { url: {} } });
    let asked = 0;
    asking.onAsked = () => {
      asked += 1;
      return '"result":{"action":"decline"}';
    };
    await site.issuer.revoke('alice');
    for (let calls = 0; calls < 2; calls += 1) {
      const { result } = await asking.call('x_vault_whoami').answer();
      expect(JSON.stringify(result)).to.include('core_auth_login').and.include('sign in');
    }
    expect(asked).to.equal(1);
  });

  it('is offered in revision 2026-07-28 as input that the call requires', async () => {
    const { client, gateway, site } = await start();
    await newBrowser().open(await linkFor(client));
    await textOf(client, 'x_vault_whoami');
    await site.issuer.revoke('alice');
    const capabilities = { elicitation: { url: {} } };
    const asked = (back?: object) =>
      post(
        gateway.url(),
        statelessCall(
          'call_tool',
          { name: 'x_vault_whoami' },
          { capabilities, ...(back && { back: { ...back } }) },
        ),
      );
    const first = resultIn(await asked());
    expect(first['resultType']).to.equal('input_required');
    const requests = first['inputRequests'] as Record<string, { params: { mode: string; url: string } }>;
    const [[key, { params }] = ['', { params: { mode: '', url: '' } }]] = Object.entries(requests);
    expect(params.mode).to.equal('url');
    await newBrowser().open(params.url);
    const back = { requestState: first['requestState'], inputResponses: { [key]: { action: 'accept' } } };
    expect(JSON.stringify(resultIn(await asked(back)))).to.include('alice');
  });
});

function resultIn(answer: RawAnswer): Record<string, unknown> {
  return answer.json().result as Record<string, unknown>;
}
