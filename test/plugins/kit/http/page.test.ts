import { expect } from 'chai';
import { LOOK } from '../../../../plugins/kit/http/look.ts';
import { html, page } from '../../../../plugins/kit/http/page.ts';

describe('Pages', () => {
  it('escape every value, in texts, titles and attributes, but not what is part of a page already', () => {
    const name = `"><script>alert('x')</script>&`;
    const { body } = page(name, html`<a href="${name}">${[html`<b>${name}</b>`]}</a>`, { status: 403 });
    expect(body).not.contain('<script>').and.not.contain(name);
    expect(body).contain('<b>&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</b>');
  });

  it('have one look, which the admin pages share, light and dark', () => {
    const { body } = page('Hello', html`<p>text</p>`);
    expect(body).contain(LOOK).and.contain('name="color-scheme" content="light dark"');
    for (const part of ['@media (prefers-color-scheme:dark)', 'input,', ':focus-visible'])
      expect(LOOK).contain(part);
  });

  it('load nothing, run nothing and cannot be framed', () => {
    const { status, headers } = page('Hello', html`<p>text</p>`);
    expect(status).equal(200);
    expect(headers?.['content-security-policy'])
      .contain("default-src 'none'")
      .contain("frame-ancestors 'none'");
  });
});
