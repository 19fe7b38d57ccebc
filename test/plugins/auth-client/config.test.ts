import { expect } from 'chai';
import { stringify } from 'yaml';
import { review } from '../../support/reviewed.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { composeGateway } from '../../support/gateway.ts';

/** Severity and message of each issue of auth-client, without its name. */
async function issues(mcpClient: JsonObject, more: JsonObject = {}): Promise<readonly string[]> {
  const oauth = { mcpClient: { enabled: true, ...mcpClient }, ...(more['oauth'] as JsonObject | undefined) };
  const text = stringify({ aggregator: { ...more, oauth } });
  const { pipeline } = await composeGateway({
    builtIns: ['auth-client'],
    files: { 'config.yaml': text, 'state/.keep': '' },
  });
  const found = await pipeline.check(() => Promise.resolve([]));
  const own = found.filter(({ message }) => !message.startsWith('plugin auth-server: '));
  return own.map(({ severity, message }) => `${severity}: ${message.replace(/^plugin auth-client: /, '')}`);
}

describe('auth-client: its configuration', () => {
  it('needs nothing but to be switched on', async () => {
    expect(await issues({})).deep.equal([]);
    const all = { publicUrl: 'https://a.example', postLoginRedirectAllowlist: ['https://b.example/app'] };
    expect(await issues(all, { host: '0.0.0.0' })).deep.equal([]);
  });

  it('warns about addresses of postLoginRedirectAllowlist that have no effect', async () => {
    const found = await issues({
      postLoginRedirectAllowlist: ['https://b.example', 'b.example', 'https://u@b.example'],
    });
    expect(found).lengthOf(2);
    expect(found[0]).match(
      /^warning: .*"b\.example" is not an absolute http or https address .*it is ignored$/,
    );
  });

  it('warns about private token endpoints, also where extraCaFile allows them', async () => {
    const text = 'lets token endpoints of servers have private addresses';
    const allowed = await issues({ tokenExchange: { allowPrivateIP: true } });
    expect(allowed.join())
      .match(/^warning: .*tokenExchange\.allowPrivateIP/)
      .and.contain(text);
    const implied = await issues({}, { extraCaFile: 'ca.pem' });
    expect(implied.join()).contain('extraCaFile').and.contain(text);
    expect((await issues({ tokenExchange: { allowPrivateIP: false } })).join()).equal('');
  });

  it('has certificates for hosts in files that can be used', async () => {
    const tls = { 'login.example': { ca: 'none.pem' } };
    const { pipeline } = await composeGateway({
      builtIns: ['auth-client'],
      files: { 'config.yaml': stringify({ aggregator: { oauth: { tls } } }), 'state/.keep': '' },
    });
    const [found] = await pipeline.check((configured) => review(configured, { isOnline: false }));
    expect(found?.message).match(/aggregator\.oauth\.tls\.login\.example\.ca: ENOENT.*none\.pem/);
  });

  it('refuses a callbackPath that is another page', async () => {
    for (const callbackPath of ['/oauth/callback', '/oauth/proxy/start', '/.well-known/oauth-client.json'])
      expect((await issues({ callbackPath })).join(), callbackPath).match(/^error: .*choose one of its own$/);
  });

  it('warns about links that browsers could not open, or whose sign-in could not complete', async () => {
    expect((await issues({}, { host: '0.0.0.0' })).join()).match(/^warning: .*name localhost; set publicUrl/);
    const server = { enabled: true, baseUrl: 'https://a.example' };
    const other = await issues({ publicUrl: 'https://b.example' }, { oauth: { server } });
    expect(other.join()).contain('use one host');
    expect(await issues({ publicUrl: 'https://a.example/x' }, { oauth: { server } })).deep.equal([]);
  });
});
