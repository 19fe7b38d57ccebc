import { expect } from 'chai';
import { acceptedRedirect } from '../../../../plugins/auth-client/flows/acceptedRedirect.ts';
import { startGuardedSite } from '../../../support/guardedSite.ts';
import { guardedGateway, setUp } from '../guardedGateway.ts';

const LIST = ['https://ok.example/app', 'http://localhost:3000/'];

describe('auth-client: the redirect of a sign-in link', () => {
  it('leads to an entry of the allowlist or below it, with any query', () => {
    const good = [
      ...[
        'https://ok.example/app',
        'https://ok.example/app/',
        'https://ok.example/app/b?c=d',
        'https://OK.example/app',
      ],
      ...['http://localhost:3000/', 'http://localhost:3000/any?a=/../b'],
    ];
    for (const target of good) expect(acceptedRedirect(target, LIST), target).equal(new URL(target).href);
  });

  it('T94: leads nowhere else', () => {
    const bad = [
      ...['https://ok.example.evil.com/app', '//ok.example/app', 'https://ok.example@evil.com/app'],
      ...['https://evil.com@ok.example/app', 'https://@ok.example/app', 'https://ok.example:8443/app'],
      ...[
        'http://ok.example/app',
        'https://ok.example/',
        'https://ok.example/apple',
        'https://ok.example/App',
      ],
      ...['https://ok.example/app/../x', 'https://ok.example/app/%2e%2e/x', 'https://ok.example/app/%2E./x'],
      ...['https://ok.example/app/.%2e', 'https://ok.example/app/./x', 'https://ok.example/app/..\\x'],
      ...[
        'https://ok.example\\@evil.com/app',
        'https:\\\\ok.example/app',
        'https:/ok.example/app',
        'https:ok.example/app',
      ],
      ...[
        'https://ok.example/app#x',
        'https://ok.example/app\n',
        ' https://ok.example/app',
        'https://ok.example/a\tpp',
      ],
      ...[
        'https://ok.example/app%2f..%2fx',
        'javascript:alert(1)',
        'data:text/html,x',
        '/app',
        '',
        'ok.example/app',
      ],
      ...['http://localhost:3001/', 'https://localhost:3000/', 'https://ok.example./app'],
    ];
    for (const target of bad) expect(acceptedRedirect(target, LIST), target).equal(undefined);
    expect(acceptedRedirect('https://ok.example/app', [])).equal(undefined);
  });

  it('has no effect for an entry that is not an address', () => {
    for (const entry of ['https://user@ok.example/', 'ok.example', 'https://ok.example/../', '*'])
      expect(acceptedRedirect('https://ok.example/', [entry]), entry).equal(undefined);
  });

  it('gets the name of the server, once; another one is dropped and the sign-in completed', async () => {
    const { gateway } = await setUp({}, { mcpClient: { postLoginRedirectAllowlist: LIST } });
    const at = (target: string, link: string): string =>
      `${link}&${new URLSearchParams({ redirect: target }).toString()}`;
    const target = 'https://ok.example/app?server=x&a=b';
    const link = await gateway.link('notes');
    const page = await gateway.follow(at(target, link), (url) => url.startsWith('https://ok.example'));
    expect(page.url).equal('https://ok.example/app?server=notes&a=b');
    expect(page.status).equal(303);
    await gateway.tell('core_auth_logout', { server: 'notes' });
    const foreign = await gateway.follow(at('https://evil.example/', await gateway.link('notes')));
    expect(foreign.status).equal(200);
    expect(foreign.text).contain('You are signed in');
    expect(await gateway.account('notes')).equal('alice');
    expect(gateway.log.having('postLoginRedirectAllowlist')).lengthOf(1);
  });

  it('may be the next link, so that one click signs in at several servers', async () => {
    const site = await startGuardedSite();
    const other = await startGuardedSite();
    const gateway = await guardedGateway({
      notes: { url: site.url },
      notes2: { url: site.url },
      files: { url: other.url },
    });
    const next = await gateway.link('files');
    const first = `${await gateway.link('notes')}&${new URLSearchParams({ redirect: next }).toString()}`;
    const page = await gateway.follow(first);
    expect(page.text).contain('You are signed in at <strong>files</strong>');
    expect([await gateway.account('notes'), await gateway.account('files')]).deep.equal(['alice', 'alice']);
    const elsewhere = `${gateway.url}/health`;
    const link = `${await gateway.link('notes2')}&${new URLSearchParams({ redirect: elsewhere }).toString()}`;
    expect((await gateway.follow(link)).text).contain('You are signed in at');
  });
});
