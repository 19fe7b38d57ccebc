import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { needChromium, startChromium } from '../support/browser.ts';
import { startOAuthExample } from '../support/oauthExample.ts';
import { SDK_CALLBACK, sdkSignIn } from '../support/sdkSignIn.ts';

describe('a browser', function () {
  this.timeout(60_000);
  before(function () {
    needChromium(this);
  });

  it('signs a person in: consent, the page of the identity provider, and back to the client', async () => {
    const { endpoint, issuer } = await startOAuthExample({ consent: 'always' });
    const chromium = await startChromium();
    // The pages need no JavaScript.
    const page = await chromium.newPage({ javaScriptEnabled: false });
    page.setDefaultTimeout(10_000);
    const client = await sdkSignIn(endpoint, async (url) => {
      await page.goto(url.href);
      await page.getByText('SDK client of the tests').waitFor();
      // For people to look at.
      await page.screenshot({ path: join(tmpdir(), 'pegboard-consent.png') });
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByLabel('Name').fill('alice');
      expect(new URL(page.url()).origin).equal(issuer);
      await page.getByLabel('Password').fill('wonderland');
      await page.screenshot({ path: join(tmpdir(), 'pegboard-login.png') });
      const arrived = page.waitForRequest((request) => request.url().startsWith(SDK_CALLBACK));
      await page.getByRole('button', { name: 'Sign in' }).click();
      return new URL((await arrived).url());
    });
    const { tools } = await client.listTools();
    expect(tools).not.empty;
  });
});
