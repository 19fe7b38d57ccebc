import { expect } from 'chai';
import { expectNoSecret, recordRequests } from '../../../support/confidential.ts';
import type { Seen } from '../../../support/confidential.ts';
import { startGuardedSite } from '../../../support/guardedSite.ts';
import type { GuardedSite } from '../../../support/guardedSite.ts';
import { newBrowser } from '../../../support/browser.ts';
import { signInAtServer, signedIn, startPeopleGateway } from '../../../support/people.ts';
import type { Person } from '../../../support/people.ts';
import { send } from '../../../support/rawHttp.ts';
import type { RawAnswer } from '../../../support/rawHttp.ts';
import { until } from '../../../support/until.ts';
import { openAdmin, siteAt } from '../adminGateway.ts';
import type { AdminSite, Fields } from '../adminGateway.ts';

interface Grant {
  readonly id: string;
  readonly server: string;
  readonly holder: string;
  readonly state: string;
}
const EVIL = '<script>alert(1)</script>';
const NAMES = [EVIL, '"><b onload=x>', 'x'.repeat(10_000), '../..', '\u202eevil'];

describe('the grants of persons on the admin pages', function () {
  this.timeout(60_000);
  let site: AdminSite;
  let notes: GuardedSite;
  let people: readonly Person[];
  let seen: Seen;
  const grants = async (): Promise<readonly Grant[]> =>
    (await site.facts<{ grants: { items: readonly Grant[] } }>('/grants')).grants.items;
  const drop = (path: string, headers: Fields = {}, body = ''): Promise<RawAnswer> =>
    send(site.url, { method: 'DELETE', path, headers, body });

  beforeEach(async () => {
    seen = recordRequests();
    notes = await startGuardedSite({ issuer: { lifetime: 120 } });
    const auth = await startPeopleGateway({
      settings: { aggregator: { admin: { enabled: true, port: 0 } } },
      files: {
        'mcpservers/notes.yaml': notes.definition({ auth: { type: 'oauth' } }),
        'mcpservers/plain.yaml': 'type: stdio\ncommand: [/nowhere/server]\nautoStart: false\n',
      },
    });
    site = siteAt(auth.gateway);
    people = [await signedIn(auth, 'ann'), await signedIn(auth, 'bob')];
    for (const [at, as] of (['ann', 'bob'] as const).entries()) {
      const browser = newBrowser();
      notes.issuer.signInAs(browser, as);
      const page = await signInAtServer(people[at]!, 'notes', { auth, as, browser });
      expect(page.status, page.text).equal(200);
    }
  });

  it('are listed with holder, state and times, and no page has anything secret or a name of a person', async () => {
    const all = await grants();
    expect(all.map(({ server, state }) => `${server} ${state}`)).deep.equal(['notes valid', 'notes valid']);
    expect(new Set(all.map(({ holder }) => holder)).size).equal(2);
    const paths = ['/', '/mcps', '/mcps/notes', '/mcps/notes/edit', '/config', '/grants'];
    const texts = await Promise.all(
      paths.flatMap((path) =>
        ['text/html', 'application/json'].map(async (accept) => (await site.get(path, { accept })).text),
      ),
    );
    expect(texts.join()).include(all[0]!.holder).and.include('config.yaml:1:');
    expect(seen.secrets.size).greaterThan(8);
    expectNoSecret({ 'an admin page': texts }, seen.secrets);
    expect((await site.get('/grants')).text).not.match(/\b(ann|bob)\b/);
  });

  it('are refreshed and dropped by their forms, with the token of the page only', async () => {
    const [first] = await grants();
    const path = `/grants/${first!.id}`;
    expect((await site.get('/grants')).text).include(`action="${path}/refresh"`);
    for (const deed of ['refresh', 'drop']) {
      expect((await site.post(`${path}/${deed}`, {}, { origin: site.url })).status).equal(403);
      expect((await site.post(`${path}/${deed}`, {}, { origin: 'http://evil.example' })).status).equal(403);
      expect((await site.get(`${path}/${deed}`)).status).equal(405);
    }
    expect(await site.submit(`${path}/refresh`)).include({ status: 303 });
    expect(await site.submit(`${path}/drop`)).include({ status: 303 });
    const left = await grants();
    expect(left.map(({ id }) => id !== first!.id)).deep.equal([true]);
    expect((await site.post(`${path}/drop`)).status).equal(404);
    expect((await site.post(`${path}/refresh`)).status).equal(404);
  });

  it('T102: DELETE drops nothing for a page elsewhere, a foreign Host, a browser without the token, or a GET', async () => {
    for (const path of ['/auth/notes', '/user-tokens']) {
      const refused = async (headers: Fields): Promise<void> => {
        expect((await drop(path, headers)).status, JSON.stringify(headers)).equal(403);
      };
      await refused({ origin: 'http://evil.example' });
      await refused({ origin: 'null' });
      await refused({ origin: site.url });
      await refused({ 'sec-fetch-site': 'cross-site' });
      await refused({ 'sec-fetch-site': 'same-origin' });
      await refused({ host: 'evil.example' });
      await refused({ host: `evil.example:${new URL(site.url).port}` });
      expect((await site.get(path)).status).equal(405);
      expect((await site.post(path)).status).equal(405);
    }
    expect(await grants()).have.length(2);
    expect((await drop('/auth/notes')).status).equal(204);
    expect(await grants()).have.length(0);
  });

  it('DELETE /auth/{server} drops those of a server, of which JSON tells; its callers sign in again', async () => {
    const answer = await drop('/auth/notes', { accept: 'application/json' });
    expect(answer.status).equal(200);
    expect(JSON.parse(answer.text)).deep.equal({ message: '2 grants for server notes dropped' });
    expect(await grants()).deep.equal([]);
    await until(async () => (await people[0]!.asked()).includes('notes'));
    expect(await drop('/auth/notes')).include({ status: 204, text: '' });
    expect((await drop('/auth/plain')).status, 'a server without sign-in').equal(204);
  });

  it('DELETE /user-tokens drops all of them', async () => {
    expect(await drop('/user-tokens')).include({ status: 204, text: '' });
    expect(await grants()).deep.equal([]);
    for (const person of people) await until(async () => (await person.asked()).includes('notes'));
    expect((await drop('/user-tokens')).status, 'again').equal(204);
  });

  it('DELETE /auth/{server} answers 404 for an unknown server, whatever its name', async () => {
    expect((await drop('/auth/unknown')).status).equal(404);
    expect((await drop('/auth/')).status).equal(404);
    for (const name of NAMES) {
      const one = encodeURIComponent(name);
      for (const answer of [
        await drop(`/auth/${one}`),
        await site.post(`/grants/${one}/drop`),
        await site.post(`/grants/${one}/refresh`),
      ]) {
        expect(answer.status, name.slice(0, 40)).equal(404);
        expect(answer.text).not.include(EVIL).and.not.include('<b onload').and.not.include('\u202e');
        expect(answer.text.length).lessThan(10_000);
      }
    }
    expect(await grants()).have.length(2);
  });

  it('are of no use to the operator: a tool of their server is refused on the page of tools, and works for them', async () => {
    const used = await people[0]!.told('x_notes_whoami');
    expect(used).include('ann');
    const { text: listed } = await site.get('/tools?server=notes');
    expect(listed).not.include('x_notes_whoami');
    const refused = await site.post('/tools/x_notes_whoami', { confirm: 'yes' });
    expect(refused.status).equal(404);
    expect(refused.text).not.match(/\b(ann|bob)\b/);
    const { explained } = await site.facts<{ explained: { callable: boolean } }>(
      '/explain?tool=x_notes_whoami',
    );
    expect(explained.callable).equal(false);
  });

  it('show in the explanation for a person whether they are signed in at the server, by the subject of a session', async () => {
    const { subjects } = await site.facts<{ subjects: readonly string[] }>('/explain');
    expect(subjects.length).equal(2);
    const signIns = await Promise.all(
      [...subjects, 'unknown'].map(async (person) => {
        const query = new URLSearchParams({ person, tool: 'x_notes_whoami' });
        const { explained } = await site.facts<{
          explained: { callable: boolean; server?: { signIn?: string }; remedy?: string };
        }>(`/explain?${query.toString()}`);
        return [explained.callable, explained.server?.signIn, explained.remedy];
      }),
    );
    const [[...ann], [...bob], [isCallable, , remedy]] = signIns as [unknown[], unknown[], unknown[]];
    for (const known of [ann, bob]) expect(known).deep.equal([true, 'connected', undefined]);
    expect(isCallable).equal(false);
    expect(remedy).include('call core_auth_login with {"server": "notes"} through call_tool');
  });
});

describe('the same paths without sign-in at servers', () => {
  it('have nothing to drop: 204, 404 for an unknown server and grant', async () => {
    const files = { 'mcpservers/plain.yaml': 'type: stdio\ncommand: [/nowhere/server]\nautoStart: false\n' };
    const site = await openAdmin({ files });
    const drop = (path: string): Promise<RawAnswer> =>
      send(site.url, { method: 'DELETE', path, headers: {} });
    expect(await drop('/user-tokens')).include({ status: 204, text: '' });
    expect(await drop('/auth/plain')).include({ status: 204, text: '' });
    const unknown = await drop('/auth/unknown');
    expect(unknown.status).equal(404);
    expect(unknown.text).contain('No server is called').and.not.contain('grant-store');
    const gone = await site.post('/grants/1/drop');
    expect(gone.status).equal(404);
    expect(gone.text).not.contain('grant-store');
  });
});
