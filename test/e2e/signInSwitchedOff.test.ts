import { expect } from 'chai';
import { eventually, mcpClient, startGateway } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { startGuardedSite } from '../support/guardedSite.ts';

const SWITCH = 'set aggregator.oauth.mcpClient.enabled to true';
const HEADERS = 'set headers in its definition';

interface Started {
  readonly list: () => Promise<string>;
  readonly tell: (tool: string, args: object) => Promise<string>;
  /** Resolves with what `auth://status` reports about the server, once that is refused. */
  readonly refusal: () => Promise<unknown>;
}

/** A gateway at which people cannot sign in, in front of a server that wants it. @param more of its definition */
async function start(more = {}, needsNoToken: (method?: string) => boolean = () => false): Promise<Started> {
  const site = await startGuardedSite({ needsNoToken });
  const gateway = await startGateway({ files: { 'mcpservers/vault.yaml': site.definition(more) } });
  defer(() => gateway.stop());
  const client = await mcpClient(gateway.url());
  const call = async (name: string, args: object): Promise<string> =>
    JSON.stringify(await client.request('tools/call', { name, arguments: args }));
  const refusal = async (): Promise<unknown> => {
    const { contents } = await client.request('resources/read', { uri: 'auth://status' });
    const [{ text }] = contents as [{ text: string }];
    const [vault] = (JSON.parse(text) as { servers: { status: string; error?: string }[] }).servers;
    return vault?.status === 'auth_required' ? vault.error : undefined;
  };
  return {
    list: () => call('list_tools', {}),
    tell: (name, args) => call('call_tool', { name, arguments: args }),
    refusal: () => eventually(refusal, 'the server is refused'),
  };
}

describe('A server that wants a sign-in while callers cannot sign in at servers', () => {
  for (const more of [{}, { auth: { type: 'oauth' } }])
    it(`is named with the setting to write, with ${JSON.stringify(more)} in its definition`, async () => {
      const { list, tell, refusal } = await start(more);
      expect(await refusal())
        .contain(HEADERS)
        .and.contain(SWITCH);
      expect(await tell('core_auth_login', { server: 'vault' })).contain(`${SWITCH}.`);
      expect(await tell('core_service_status', { name: 'vault' })).contain(SWITCH);
      expect(await list()).contain(`${SWITCH}, so that callers sign in there, or ${HEADERS}`);
    });

  it('is named so by a call that it refuses', async () => {
    const { tell } = await start({}, (method) => method !== 'tools/call');
    const called = async (): Promise<string | false> => {
      const text = await tell('x_vault_whoami', {});
      return !text.includes('TOOL_NOT_FOUND') && text;
    };
    expect(await eventually(called, 'the tool is there'))
      .contain('HTTP 401')
      .and.contain(SWITCH);
  });

  it('needs other headers if its definition says that callers do not sign in, or how it is let in', async () => {
    for (const more of [{ auth: { type: 'none' } }, { headers: { authorization: 'Bearer wrong' } }]) {
      const { list, tell, refusal } = await start(more);
      expect(await refusal())
        .contain(HEADERS)
        .and.not.contain(SWITCH);
      expect(await tell('core_auth_login', { server: 'vault' })).contain(
        `refuses the request, and callers cannot sign in there: ${String(await refusal())}. If`,
      );
      expect(await list())
        .contain(HEADERS)
        .and.not.contain(SWITCH);
    }
  });
});
