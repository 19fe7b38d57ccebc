import { expect } from 'chai';
import { startAuthServer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { until } from '../../../support/until.ts';
import { typeAtTerminal, typeVerb } from '../../../support/typeVerb.ts';

describe('pegboard auth login --device', function () {
  this.timeout(30_000);

  it('shows a code for any browser where the gateway allows that, and is signed in once it is allowed there', async () => {
    const auth = await startAuthServer({ config: { allowDeviceFlow: true } });
    const place = ['--config-path', makeDirectory().path, '--endpoint', `${auth.base}/mcp`];
    const typing = typeAtTerminal(['auth', 'login', '--device', ...place]);
    const address = await typing.shows(/^ {2}(http\S+\/oauth\/device\?user_code=\S+)$/m);
    const browser = newBrowser();
    const page = await browser.open(address);
    expect(page.text).include('Pegboard command line');
    const { text } = await browser.submit(page, { decision: 'allow' });
    expect(text).include('The device is signed in');
    const typed = await typing.ended;
    expect(typed).include({ code: 0, stdout: '' });
    expect(typed.stderr).include(`signed in at ${auth.base}/mcp as alice@example.com\n`);
    expect(await typeVerb(['list', 'tools', ...place])).include({ code: 0 });
  });

  it('fails with exit code 3 when the person does not allow it, and needs no terminal', async () => {
    const auth = await startAuthServer({ config: { allowDeviceFlow: true } });
    const place = ['--config-path', makeDirectory().path, '--endpoint', `${auth.base}/mcp`];
    const typed = typeVerb(['auth', 'login', '--device', ...place]);
    await auth.gateway.log.heard('client registered');
    const asked = async (): Promise<string | undefined> => (await auth.vault.list('oauth-device:'))[0];
    await until(async () => (await asked()) !== undefined);
    const id = String(await asked());
    await auth.vault.set(id, { ...((await auth.vault.get(id)) as object), decision: 'denied' });
    const { code, stderr } = await typed;
    expect(code).equal(3);
    expect(stderr).include('the sign-in failed: access_denied: the person did not allow it');
  });
});
