import { expect } from 'chai';
import { PUBLIC_CLIENT } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { signedIn, startPeopleGateway } from '../../../support/people.ts';
import { siteAt } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

interface Row {
  readonly id: string;
  readonly subject: string;
  readonly issuer: string;
}
const EVIL = '<script>alert(1)</script>';

describe('the sign-ins of people on the admin pages', () => {
  let auth: AuthServer;
  let site: AdminSite;
  const rows = async (): Promise<readonly Row[]> =>
    (await site.facts<{ signIns: { items: readonly Row[] } }>('/sign-ins')).signIns.items;
  beforeEach(async () => {
    auth = await startPeopleGateway({ settings: { aggregator: { admin: { enabled: true, port: 0 } } } });
    site = siteAt(auth.gateway);
  });
  const isAdmitted = async (token: string): Promise<boolean> => (await auth.mcp(token)).status === 200;

  it('are listed with who, client and address, names escaped, and without a secret', async () => {
    await auth.known({ ...PUBLIC_CLIENT, name: EVIL });
    const { tokens, idToken } = await signedIn(auth, 'ann');
    const { text } = await site.get('/sign-ins');
    expect(text).include('ann@example.com').and.include('127.0.0.1').and.include('&lt;script&gt;');
    const json = JSON.stringify(await rows());
    for (const secret of [tokens.access, tokens.refresh, idToken]) {
      expect(text).not.include(secret).and.not.include(EVIL);
      expect(json).not.include(secret);
    }
    expect((await site.get('/')).text).include('href="/sign-ins"');
  });

  it('are ended one by one or all of a person, by the form of the page only', async () => {
    const [laptop, phone, bob] = [
      await signedIn(auth, 'ann'),
      await signedIn(auth, 'ann'),
      await signedIn(auth, 'bob'),
    ];
    const path = `/sign-ins/${laptop.tokens.refresh.split('.')[0]!}/end`;
    expect((await site.get('/sign-ins')).text).include(`action="${path}"`);
    for (const headers of [{ origin: site.url }, { origin: 'http://evil.example' }])
      expect((await site.post(path, {}, headers)).status).equal(403);
    expect((await site.get(path)).status).equal(405);
    expect(await site.submit(path)).include({ status: 303 });
    expect((await site.submit(path)).status, 'again').equal(404);
    expect([await isAdmitted(laptop.tokens.access), await isAdmitted(phone.tokens.access)]).deep.equal([
      false,
      true,
    ]);
    expect((await site.submit(path.replace('/end', '/end-all'))).status).equal(404);
    expect(await site.submit(`/sign-ins/${phone.tokens.refresh.split('.')[0]!}/end-all`)).include({
      status: 303,
    });
    expect([await isAdmitted(phone.tokens.access), await isAdmitted(bob.tokens.access)]).deep.equal([
      false,
      true,
    ]);
    expect((await rows()).map(({ subject }) => subject)).deep.equal(['bob']);
  });

  it('have an empty page without sign-in at the gateway', async () => {
    await auth.configureServer({ enabled: false });
    expect((await site.get('/sign-ins')).text).include('No person has signed in, or sign-in is off.');
    expect((await site.submit('/sign-ins/x/end')).status).equal(503);
  });
});
