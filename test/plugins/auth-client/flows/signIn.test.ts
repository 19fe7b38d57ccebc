import { expect } from 'chai';
import { startGuardedSite } from '../../../support/guardedSite.ts';
import type { GuardedSite, GuardedSiteOptions } from '../../../support/guardedSite.ts';
import { guardedGateway } from '../guardedGateway.ts';
import type { FakeServer, GuardedGateway } from '../guardedGateway.ts';

/** A real server, and a gateway that knows it as `notes`. */
async function setUp(
  site: GuardedSiteOptions = {},
  { server = {}, mcpClient = {} }: { server?: Partial<FakeServer>; mcpClient?: Record<string, unknown> } = {},
): Promise<{ readonly site: GuardedSite; readonly gateway: GuardedGateway }> {
  const started = await startGuardedSite(site);
  const gateway = await guardedGateway({ notes: { url: started.url, ...server } }, { mcpClient });
  return { site: started, gateway };
}

describe('auth-client: signing in at a server', () => {
  it('takes one link, after which the server is connected with the grant', async () => {
    const { site, gateway } = await setUp();
    const link = await gateway.link('notes');
    expect(link).match(/^http:\/\/.+\/oauth\/proxy\/start\?state=[\w-]{43}$/);
    const page = await gateway.follow(link);
    expect(page).include({ status: 200 });
    expect(page.text).contain('You are signed in at <strong>notes</strong>');
    expect([...gateway.connections]).deep.equal(['local notes']);
    expect(await gateway.account('notes')).equal('alice');
    expect(await gateway.tell('core_auth_login', { server: 'notes' })).equal(
      "Server 'notes' is already authenticated.",
    );
    expect(site.issuer.tokenRequests).lengthOf(1);
  });
});
