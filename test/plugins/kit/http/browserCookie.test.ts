import { expect } from 'chai';
import { BrowserCookie } from '../../../../plugins/kit/http/browserCookie.ts';

const requestWith = (cookie?: string): { header: (name: string) => string | undefined } => ({
  header: (name) => (name === 'cookie' ? cookie : undefined),
});

describe('BrowserCookie', () => {
  const secure = new BrowserCookie({ name: 'mark', isHttps: () => true });
  const plain = new BrowserCookie({ name: 'mark', isHttps: () => false });

  it('is for this host only on https, and without the prefix and Secure on http, where browsers refuse them', () => {
    const [first, second] = [secure, plain].map((one) => one.give(requestWith(), 60));
    expect(first?.headers['set-cookie']).equal(
      `__Host-mark=${first?.id ?? ''}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure`,
    );
    expect(second?.headers['set-cookie']).equal(
      `mark=${second?.id ?? ''}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax`,
    );
    expect(first?.id)
      .match(/^[\w-]{22}$/)
      .not.equal(second?.id);
  });

  it('keeps the value that the browser has, and reads it among other cookies', () => {
    const request = requestWith('other=1; mark=abc; marked=2');
    expect(plain.idOf(request)).equal('abc');
    expect(plain.give(request, 60).id).equal('abc');
    expect(plain.renew(60).id).not.equal('abc');
    expect(secure.idOf(request)).equal(undefined);
    expect(plain.idOf(requestWith())).equal(undefined);
  });

  it('takes no more than 100 characters of what a browser sends', () => {
    expect(plain.idOf(requestWith(`mark=${'x'.repeat(5_000)}`))).equal('x'.repeat(100));
  });
});
