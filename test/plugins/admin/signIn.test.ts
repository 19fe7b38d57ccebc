import { expect } from 'chai';
import type { ReloadReport } from '../../../kernel/index.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { newBrowser } from '../../support/browser.ts';
import type { Browser, Fields, Page } from '../../support/browser.ts';
import { freePort } from '../../support/everything.ts';
import { startGuardedSite } from '../../support/guardedSite.ts';
import { signInAtServer, signedIn, startPeopleGateway } from '../../support/people.ts';
import { send } from '../../support/rawHttp.ts';
import type { RawAnswer } from '../../support/rawHttp.ts';
import { siteAt } from './adminGateway.ts';
import { auditedCalls } from './booth.ts';
import { routesOf } from './routesOf.ts';

interface Listed {
  readonly id?: string;
  readonly execution_id?: string;
  readonly subject?: string;
}
const JSON_ONLY = { accept: 'application/json' };
/** What a person sees and ends of their own. */
const OWN = [
  'GET /connect',
  'GET /sessions',
  'GET /sessions/:id',
  'GET /sign-ins',
  'GET /grants',
  'GET /runs',
  'GET /runs/:id',
];
const OWN_ENDS = [
  'POST /sessions/:id/delete',
  'POST /calls/:id/cancel',
  'POST /runs/:id/cancel',
  'POST /sign-ins/:id/end',
  'POST /sign-ins/:id/end-all',
  'POST /grants/:id/refresh',
  'POST /grants/:id/drop',
];

describe('the admin pages with signIn', function () {
  this.timeout(60_000);
  let auth: AuthServer;
  let base: string;
  let listener: string;
  const start = async (more: object = {}): Promise<void> => {
    const port = await freePort();
    base = `http://localhost:${port}`;
    const notes = await startGuardedSite();
    auth = await startPeopleGateway({
      settings: {
        aggregator: { admin: { enabled: true, port, signIn: true, baseUrl: base, ...more } },
        operators: { emails: ['ann@example.com'], groups: [] },
        access: [
          { groups: ['night'], toolset: ['preset:full'], operator: 'operate' },
          { groups: ['staff'], toolset: ['preset:full'] },
        ],
        plugins: { audit: { config: {} } },
      },
      files: {
        'mcpservers/notes.yaml': notes.definition({ auth: { type: 'oauth' } }),
        'mcpservers/shop.yaml': 'type: stdio\ncommand: [/nowhere/server]\nautoStart: false\n',
        'workflows/look.yaml': JSON.stringify({
          name: 'look',
          steps: [{ id: 'one', tool: 'core_service_list' }],
        }),
      },
    });
    listener = siteAt(auth.gateway).url;
  };
  /** A browser in which that person has signed in at the pages. */
  const browserOf = async (subject: string, path = '/', claims = {}): Promise<Browser> => {
    auth.provider.loginAs(subject, claims);
    const browser = newBrowser();
    await browser.open(base + path);
    return browser;
  };
  const facts = async <T>(browser: Browser, path: string): Promise<T> => {
    const { status, text } = await browser.request(base + path, { headers: JSON_ONLY });
    expect(status, `${path}: ${text}`).equal(200);
    return JSON.parse(text) as T;
  };
  const tokenIn = ({ text }: Page): string => /name="token"\s+value="([^"]+)"/.exec(text)?.[1] ?? '';
  const post = async (browser: Browser, path: string, fields: Fields = {}): Promise<Page> => {
    const token = tokenIn(await browser.request(`${base}/sessions`));
    const body = new URLSearchParams({ token, ...fields });
    return browser.request(base + path, { method: 'POST', body, headers: { origin: base } });
  };
  const raw = (path: string, headers: Fields = {}): Promise<RawAnswer> =>
    send(listener, { path, headers: { host: new URL(base).host, ...headers } });
  const sessionCookie = (browser: Browser): string =>
    browser.cookiesFor(base).find(({ name }) => name === 'pegboard-admin')?.value ?? '';

  it('lead a browser to the sign-in of the gateway and back, and are refused to everything else', async () => {
    await start();
    const first = await newBrowser().request(`${base}/mcps?a=b`);
    expect([
      first.status,
      first.headers.get('location')?.startsWith(`${auth.base}/oauth/authorize?`),
    ]).deep.equal([303, true]);
    for (const answer of [
      await raw('/', JSON_ONLY),
      await raw('/events/stream'),
      await send(listener, {
        method: 'POST',
        path: '/mcps/shop/start',
        headers: { host: new URL(base).host },
      }),
    ])
      expect([answer.status, answer.text.includes('REQUEST_UNAUTHENTICATED')]).deep.equal([401, true]);
    auth.provider.loginAs('ann');
    const page = await newBrowser().open(`${base}/mcps?a=b`);
    expect([page.status, page.url]).deep.equal([200, `${base}/mcps?a=b`]);
    expect(page.text).include('ann@example.com').and.include('action="/sign-out"');
  });

  it('record what a person does as theirs, and what they ask for another person, too', async () => {
    await start();
    const browser = await browserOf('ann');
    await post(browser, '/mcps/shop/start');
    await browser.request(`${base}/explain?person=bob&tool=core_service_stop`);
    const site = siteAt(auth.gateway);
    for (const tool of ['core_service_start', 'explain_tool']) {
      const [line = '{}'] = auditedCalls(site, tool);
      const { event } = JSON.parse(line) as { readonly event: Fields };
      expect(event['caller'], tool).equal(JSON.stringify([auth.provider.url, 'ann']));
    }
  });

  it('show on each route an operator everything, and others nothing but their own', async () => {
    await start();
    const bob = await signedIn(auth, 'bob');
    await bob.callTool('workflow_look');
    await signInAtServer(bob, 'notes', { auth, as: 'bob' });
    const [ann, eve] = [await browserOf('ann'), await browserOf('eve')];
    const firstOf = async (path: string, key: string): Promise<string> => {
      const found = await facts<Readonly<Record<string, { items: readonly Listed[] }>>>(ann, path);
      const list = key === '' ? (found as unknown as { items: readonly Listed[] }) : found[key];
      const one = list?.items.find(({ subject = 'bob' }) => subject === 'bob');
      return one?.id ?? one?.execution_id ?? '';
    };
    const ids: Fields = {
      sessions: await firstOf('/sessions', ''),
      runs: await firstOf('/runs', 'runs'),
      'sign-ins': await firstOf('/sign-ins', 'signIns'),
      grants: await firstOf('/grants', 'grants'),
    };
    expect(Object.values(ids)).not.include('');
    const names: Fields = { mcps: 'shop', tools: 'core_service_list', workflows: 'look', sessions: 'shop' };
    const filled = (route: string): string => {
      const [, path = ''] = route.split(' ');
      const [, area = ''] = path.split('/');
      return path
        .replace(':id', ids[area] ?? '1')
        .replace(':name', names[area] ?? '')
        .replace(':server', 'none');
    };
    const { pages, actions } = routesOf();
    for (const route of pages) {
      const asked = base + filled(route);
      expect((await ann.request(asked)).status, `${route} for an operator`).equal(200);
      const refused = await eve.request(asked);
      const expected = !OWN.includes(route) ? 403 : route.includes(':id') ? 404 : 200;
      expect(refused.status, `${route} for others`).equal(expected);
      if (expected === 403) expect(refused.text, route).include('operators are those named under operators');
      const json = await eve.request(asked, { headers: JSON_ONLY });
      expect(json.status, `${route} for others, as JSON`).equal(expected);
    }
    for (const route of actions) {
      const [method = ''] = route.split(' ');
      const body = new URLSearchParams({ token: tokenIn(await eve.request(`${base}/sessions`)) });
      const refused = await eve.request(base + filled(route), { method, body, headers: { origin: base } });
      expect(refused.status, `${route} for others`).equal(OWN_ENDS.includes(route) ? 404 : 403);
    }
    expect((await eve.request(`${base}/nothing`)).status).equal(403);
    expect((await eve.request(`${base}/events/stream`)).status).equal(403);
    for (const key of ['sessions', 'runs', 'grants'])
      expect((await eve.request(`${base}/${key}`)).text, key).not.include(ids[key]);
    expect((await eve.request(`${base}/sign-ins`)).text).not.match(/ann@|bob@/);
  });

  it('let a person end what is theirs', async () => {
    await start();
    const bob = await signedIn(auth, 'bob');
    await bob.callTool('workflow_look');
    await signInAtServer(bob, 'notes', { auth, as: 'bob' });
    const browser = await browserOf('bob');
    const opened = await browser.open(`${base}/sessions`);
    expect(opened.text).include('href="/grants"').and.not.include('href="/config"');
    const [session] = (await facts<{ items: readonly Listed[] }>(browser, '/sessions')).items;
    expect((await post(browser, `/sessions/${session?.id ?? ''}/delete`)).status).equal(303);
    const { grants } = await facts<{ grants: { items: readonly Listed[] } }>(browser, '/grants');
    expect((await post(browser, `/grants/${grants.items[0]?.id ?? ''}/drop`)).status).equal(303);
    const { runs } = await facts<{ runs: { items: readonly Listed[] } }>(browser, '/runs');
    expect((await browser.request(`${base}/runs/${runs.items[0]?.execution_id ?? ''}`)).status).equal(200);
    const id = bob.tokens.refresh.split('.')[0] ?? '';
    expect((await post(browser, `/sign-ins/${id}/end`)).status).equal(303);
    expect((await auth.mcp(bob.tokens.access)).status).equal(401);
  });

  it('lead a person who is not an operator to their sessions after a sign-in', async () => {
    await start();
    auth.provider.loginAs('bob');
    const page = await newBrowser().open(`${base}/`);
    expect([page.status, page.url]).deep.equal([200, `${base}/sessions`]);
  });

  it('let those who operate start servers, and not write definitions', async () => {
    await start();
    const browser = await browserOf('dan', '/', { groups: ['night'] });
    expect((await browser.request(`${base}/mcps/shop`)).status).equal(200);
    expect((await post(browser, '/mcps/shop/start')).status).oneOf([303, 409]);
    for (const path of ['/mcps/shop/write', '/mcps/shop/edit', '/tools/core_service_list', '/config/save'])
      expect((await post(browser, path, { text: 'type: stdio' })).status, path).equal(403);
  });

  it('offer a person no button that would be refused, and say why a form is missing', async () => {
    await start();
    const bob = await signedIn(auth, 'bob');
    await signInAtServer(bob, 'notes', { auth, as: 'bob' });
    const dan = await browserOf('dan', '/', { groups: ['night'] });
    const { items } = await facts<{ items: readonly Listed[] }>(dan, '/sessions');
    const pages = ['/', '/sessions', `/sessions/${items[0]?.id ?? ''}`, '/mcps', '/mcps/new', '/mcps/shop'];
    const others = ['/mcps/shop/edit', '/tools/core_service_list', '/grants', '/config', '/sign-ins'];
    const offered = new Set<string>();
    for (const path of [...pages, ...others]) {
      const { text } = await dan.request(base + path);
      for (const [, action = ''] of text.matchAll(/<form\s+method="post"\s+action="([^"]+)"/g))
        offered.add(action);
      if (path === '/mcps') expect(text).not.include('/mcps/new');
    }
    expect([...offered]).include.members(['/mcps/shop/start', '/config/reload']);
    for (const path of ['/mcps/new', '/mcps/shop/edit', '/tools/core_service_list'])
      expect((await dan.request(base + path)).text, path).include(
        'holds operate here, and this takes define',
      );
    const [own, ofBob] = [await dan.request(`${base}/sign-ins`), bob.tokens.refresh.split('.')[0] ?? ''];
    offered.delete('/sign-out');
    for (const path of offered) expect((await post(dan, path)).text, path).not.include('and this takes');
    expect(own.text)
      .match(/action="\/sign-ins\/[^/]+\/end"/)
      .and.not.include(`/sign-ins/${ofBob}/end`);
    const ann = await browserOf('ann');
    expect((await ann.request(`${base}/sign-ins`)).text).include(`/sign-ins/${ofBob}/end`);
    expect((await ann.request(`${base}/mcps/shop/edit`)).text).include('Preview the change');
  });

  it('lead each person to what is theirs, and who has not signed in to the sign-in', async () => {
    await start();
    const [ann, bob] = [await browserOf('ann'), await browserOf('bob')];
    const headOf = async (browser: Browser, path: string): Promise<string> =>
      (await browser.request(base + path)).text;
    expect(await headOf(ann, '/sessions'))
      .include('class="brand" href="/"')
      .and.include('action="/search"');
    expect(await headOf(bob, '/grants'))
      .include('class="brand" href="/sessions"')
      .and.not.include('action="/search"');
    expect(await headOf(bob, '/config')).include('<a href="/sessions">Back to your sessions</a>');
    const { status, text } = await send(listener, {
      method: 'POST',
      path: '/mcps/shop/start',
      headers: { host: new URL(base).host },
    });
    expect(status).equal(401);
    expect(text).include('<a class="button" rel="noreferrer" href="/">Sign in</a>');
    expect(text).not.include('action="/sign-out"');
  });

  it('leave sign-ins and grants of others to those who define, and sessions and runs to those who operate', async () => {
    await start();
    const bob = await signedIn(auth, 'bob');
    await bob.callTool('workflow_look');
    await signInAtServer(bob, 'notes', { auth, as: 'bob' });
    const [dan, ann] = [await browserOf('dan', '/', { groups: ['night'] }), await browserOf('ann')];
    const { grants } = await facts<{ grants: { items: readonly Listed[] } }>(dan, '/grants');
    const { runs } = await facts<{ runs: { items: readonly Listed[] } }>(dan, '/runs');
    const { items: sessions } = await facts<{ items: readonly Listed[] }>(dan, '/sessions');
    const [grant, run, session] = [grants.items[0]?.id, runs.items[0]?.execution_id, sessions[0]?.id];
    const signIn = bob.tokens.refresh.split('.')[0];
    const ends = ['refresh', 'drop'].map((deed) => `/grants/${grant ?? ''}/${deed}`);
    for (const path of [...ends, `/sign-ins/${signIn ?? ''}/end`, `/sign-ins/${signIn ?? ''}/end-all`]) {
      const { status, text } = await post(dan, path);
      expect([status, text.includes('holds operate here, and this takes define')], path).deep.equal([
        403,
        true,
      ]);
    }
    expect((await auth.mcp(bob.tokens.access)).status).not.equal(401);
    // A run that is over is not cancelled; whose it is does not count.
    expect((await post(dan, `/runs/${run ?? ''}/cancel`)).status).oneOf([303, 409]);
    expect((await post(dan, `/sessions/${session ?? ''}/delete`)).status).equal(303);
    const { signIns } = await facts<{ signIns: { items: readonly (Listed & { person?: string })[] } }>(
      dan,
      '/sign-ins',
    );
    const own = signIns.items.find(({ subject = '', person = '' }) =>
      [subject, person].join().includes('dan'),
    );
    expect((await post(dan, `/sign-ins/${own?.id ?? ''}/end`)).status, 'their own').equal(303);
    expect((await post(ann, `/grants/${grant ?? ''}/drop`)).status).equal(303);
    expect((await post(ann, `/sign-ins/${signIn ?? ''}/end`)).status).equal(303);
    expect((await auth.mcp(bob.tokens.access)).status).equal(401);
  });

  it('say as whom a tool is called', async () => {
    await start();
    const ann = await browserOf('ann');
    const { text } = await ann.request(`${base}/tools/core_service_list`);
    expect(text).include('As ann@example.com, with your own rights').and.not.include('without a caller');
  });

  it('end a session with the sign-out of the page, and with the sign-in', async () => {
    await start();
    const browser = await browserOf('ann');
    const cookie = sessionCookie(browser);
    const out = await post(browser, '/sign-out');
    expect([out.status, sessionCookie(browser)]).deep.equal([200, '']);
    expect(out.text).include('You are signed out');
    const again = newBrowser();
    again.setCookie(base, `pegboard-admin=${cookie}; Path=/`);
    expect((await again.request(`${base}/`)).status, 'the former cookie').equal(303);
    const other = await browserOf('ann');
    const { signIns } = await facts<{ signIns: { items: readonly Listed[] } }>(other, '/sign-ins');
    expect(signIns.items).have.length(1);
    await post(other, `/sign-ins/${signIns.items[0]?.id ?? ''}/end`);
    expect((await other.request(`${base}/`)).status).equal(303);
  });

  it('take no form without the token of its session, none from elsewhere, and no token of an application', async () => {
    await start();
    const [ann, other] = [await browserOf('ann'), await browserOf('ann')];
    const path = `${base}/config/reload`;
    const foreign = tokenIn(await other.request(`${base}/sessions`));
    for (const token of ['', foreign])
      expect(
        (await ann.request(path, { method: 'POST', body: new URLSearchParams({ token }) })).status,
      ).equal(403);
    const body = new URLSearchParams({ token: tokenIn(await ann.request(`${base}/sessions`)) });
    for (const origin of ['http://evil.example', auth.base, 'null'])
      expect((await ann.request(path, { method: 'POST', body, headers: { origin } })).status, origin).equal(
        403,
      );
    for (const host of ['127.0.0.1:1', 'evil.example', `127.0.0.1:${new URL(base).port}`])
      expect((await raw('/', { host })).status, host).equal(403);
    const { tokens } = await signedIn(auth, 'ann');
    const thief = newBrowser();
    thief.setCookie(base, `pegboard-admin=${tokens.refresh}; Path=/`);
    expect((await thief.request(`${base}/`)).status).equal(303);
    const own = {
      grant_type: 'refresh_token',
      client_id: 'pegboard-admin',
      refresh_token: sessionCookie(ann),
    };
    const answer = await fetch(`${auth.base}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(own),
    });
    expect(answer.status).equal(400);
  });

  it('take the return of a sign-in in the browser only that has begun it', async () => {
    await start();
    auth.provider.loginAs('ann');
    const isReturn = (url: string): boolean => url.startsWith(`${base}/signed-in`);
    const { url } = await newBrowser().open(`${base}/`, isReturn);
    const victim = newBrowser();
    const refused = await victim.request(url);
    expect([refused.status, sessionCookie(victim)]).deep.equal([403, '']);
  });

  it('follow who is an operator while they run', async () => {
    await start();
    const browser = await browserOf('bob');
    expect((await browser.request(`${base}/config`)).status).equal(403);
    await auth.configure(() => ({ operators: { emails: ['bob@example.com'] } }) as object);
    expect((await browser.request(`${base}/config`)).status).equal(200);
  });

  it('are refused at load where sign-in is off, or without an address for cookies, with the fix', async () => {
    await start();
    const faultsOf = async (change: Promise<ReloadReport>): Promise<string> =>
      (await change).issues.map(({ message }) => message).join('\n');
    const admin = (more: object): Promise<ReloadReport> =>
      auth.configure(({ aggregator }) => ({
        aggregator: {
          ...aggregator,
          admin: { enabled: true, port: 0, signIn: true, baseUrl: base, ...more },
        },
      }));
    expect(await faultsOf(admin({ baseUrl: '' }))).include('aggregator.admin.baseUrl is missing');
    for (const baseUrl of ['http://console.example.com', 'https://console.example.com/admin', 'console'])
      expect(await faultsOf(admin({ baseUrl })), baseUrl).include('aggregator.admin.baseUrl must');
    expect(await faultsOf(admin({ signIn: false }))).include('counts with signIn only');
    await admin({});
    expect(await faultsOf(auth.configureServer({ enabled: false }))).include(
      'set up aggregator.oauth.server',
    );
    const off = auth.configure(({ plugins }) => ({ plugins: { ...plugins, operators: false } }));
    expect(await faultsOf(off)).include('no one is known to be an operator');
  });

  it('set cookies that only https of that host and no script gets, however its address is written', async () => {
    for (const baseUrl of ['https://console.example.com', 'HTTPS://Console.example.com:443/']) {
      await start({ baseUrl });
      const headers = { host: 'console.example.com' };
      const { headers: begun } = await send(listener, { headers });
      expect(String(begun['set-cookie'])).match(
        /^__Host-pegboard-admin-way=.*; HttpOnly; SameSite=Lax; Secure$/,
      );
      expect(begun['location']).include(encodeURIComponent('https://console.example.com/signed-in'));
    }
  });

  it('take forms whose Origin is that of their address, however it is written', async () => {
    await start();
    const { port } = new URL(base);
    await auth.configure(({ aggregator }) => ({
      aggregator: {
        ...aggregator,
        admin: { enabled: true, port: Number(port), signIn: true, baseUrl: `HTTP://LOCALHOST:${port}/` },
      },
    }));
    const browser = await browserOf('ann');
    expect((await post(browser, '/config/reload')).status).equal(303);
  });
});
