import { expect } from 'chai';
import { mcpClient, startGateway } from '../contract/index.ts';
import { newBrowser } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { startDesktop } from '../support/desktop.ts';
import { makeDirectory } from '../support/directory.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import { typeVerb } from '../support/typeVerb.ts';
import type { Typed } from '../support/typeVerb.ts';

describe('Sign-in at servers from the command line', () => {
  it('--all leads one browser through the sign-ins of all servers; status and logout follow', async () => {
    const [notes, mail] = [await startGuardedSite(), await startGuardedSite()];
    const gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({ aggregator: { oauth: { mcpClient: { enabled: true } } } }),
        'mcpservers/notes.yaml': notes.definition(),
        'mcpservers/mail.yaml': mail.definition(),
      },
    });
    defer(() => gateway.stop());
    const { env, opened } = await startDesktop(newBrowser());
    const home = ['--config-path', makeDirectory().path, '--endpoint', `${gateway.url()}/mcp`];
    const type = (...args: readonly string[]): Promise<Typed> => typeVerb(['auth', ...args, ...home], env);
    const session = await mcpClient(gateway.url());

    const before = await type('status');
    expect(before.stdout).contain('(2 pending authentication)');
    const login = await type('login', '--all');
    expect(login.code, login.stderr).equal(0);
    expect(login.stderr).contain('signed in at mail\n').and.contain('signed in at notes\n');
    expect(opened).lengthOf(1);
    for (const name of ['notes', 'mail']) {
      const { content } = await session.callTool(`x_${name}_whoami`);
      expect(content[0]?.['text']).contain('"account":"alice"');
    }
    const after = await type('status', '-o', 'json');
    const { servers } = JSON.parse(after.stdout) as { servers: { name: string; status: string }[] };
    expect(servers.map(({ name, status }) => `${name} ${status}`)).deep.equal([
      'mail connected',
      'notes connected',
    ]);

    expect(await type('logout', '--server', 'mail')).include({ code: 0, stderr: 'signed out of mail\n' });
    expect(await type('status', '--server', 'mail')).include({ code: 2 });
    expect(await type('status', '--server', 'notes')).include({ code: 0 });
  });

  it('--all signs in at more servers than a browser follows redirects for', async () => {
    const site = await startGuardedSite();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const config = { aggregator: { oauth: { mcpClient: { enabled: true } } } };
    const definitions = names.map((name) => [`mcpservers/${name}.yaml`, site.definition()] as const);
    const gateway = await startGateway({
      files: { 'config.yaml': JSON.stringify(config), ...Object.fromEntries(definitions) },
    });
    defer(() => gateway.stop());
    const { env } = await startDesktop(newBrowser());
    const home = ['--config-path', makeDirectory().path, '--endpoint', `${gateway.url()}/mcp`];
    const { code, stderr } = await typeVerb(['auth', 'login', '--all', ...home], env);
    expect(code, stderr).equal(0);
    for (const name of names) expect(stderr).contain(`signed in at ${name}\n`);
  });
});
