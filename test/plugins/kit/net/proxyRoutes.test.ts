import { expect } from 'chai';
import { ProxyError, proxyRoutes, readProxy } from '../../../../plugins/kit/net/proxyRoutes.ts';
import type { ProxySettings } from '../../../../plugins/kit/net/proxyRoutes.ts';

type Env = Readonly<Record<string, string>>;

const routed = (url: string, env: Env, settings?: ProxySettings): string => {
  const { proxy, why } = proxyRoutes(settings, env)(new URL(url));
  return proxy === undefined ? `direct${why}` : proxy.name;
};

describe('lib: proxyRoutes', () => {
  it('takes the variable of the scheme, then ALL_PROXY, lower case first, and no empty one', () => {
    const env = { HTTPS_PROXY: 'http://upper.test', https_proxy: 'http://lower.test:8080', HTTP_PROXY: ' ' };
    expect(routed('https://a.test', env)).equal('http://lower.test:8080 (https_proxy)');
    expect(routed('http://a.test', env)).equal('direct: neither HTTP_PROXY nor aggregator.proxy is set');
    const all = { ...env, all_proxy: 'socks5h://all.test' };
    expect(routed('http://a.test', all)).equal('socks5h://all.test:1080 (all_proxy)');
    expect(routed('https://a.test', { HTTP_PROXY: 'http://p.test' })).match(/^direct: neither HTTPS_PROXY/);
  });

  it('prefers the settings, each alone', () => {
    const env = { HTTP_PROXY: 'http://env.test', NO_PROXY: 'a.test, b.test' };
    expect(routed('http://c.test', env, { proxy: 'https://set.test' })).equal(
      'https://set.test:443 (aggregator.proxy)',
    );
    expect(routed('http://a.test', env, { proxy: 'https://set.test' })).equal(
      'direct, as NO_PROXY names its host',
    );
    expect(routed('http://a.test', env, { noProxy: ['c.test'] })).equal('http://env.test:80 (HTTP_PROXY)');
    expect(routed('http://c.test', env, { noProxy: ['c.test'] })).equal(
      'direct, as aggregator.noProxy names its host',
    );
    expect(routed('http://c.test', env, { proxy: 'none' })).equal('direct, as aggregator.proxy says');
  });

  it('never names a proxy for this machine', () => {
    const hosts = ['localhost', 'LOCALHOST.', 'a.localhost', '127.8.9.1', '[::1]', '0x7f.1'];
    const all = { ALL_PROXY: 'http://p.test' };
    expect(hosts.map((host) => routed(`http://${host}:8090`, all))).deep.equal(hosts.map(() => 'direct'));
  });

  it('counts the port of the scheme where the url has no other', () => {
    const env = { ALL_PROXY: 'http://p.test', NO_PROXY: 'a.test:443' };
    expect(routed('https://a.test', env)).match(/^direct/);
    expect(routed('http://a.test', env)).match(/^http:/);
  });
});

describe('lib: readProxy', () => {
  it('reads credentials without their escapes, and a url without a scheme', () => {
    expect(readProxy('kim:p%40ss:w@proxy.test:3128', 'X')).include({
      host: 'proxy.test',
      port: 3128,
      isHttps: false,
      isSocks: false,
      credentials: 'kim:p@ss:w',
      name: 'http://proxy.test:3128 (X)',
    });
    expect(readProxy('socks5://[fd12::1]', 'X')).include({ host: 'fd12::1', port: 1080, isSocks: true });
  });

  it('refuses any other text, without showing credentials', () => {
    for (const text of [
      'ftp://kim:s3cret@p.test',
      'http://kim:s3cret#@p.test',
      'kim:s3cr%et@p.test',
      'p.test:x',
    ]) {
      const read = (): unknown => readProxy(text, 'HTTP_PROXY');
      expect(read).throw(ProxyError, /^HTTP_PROXY (?!.*s3cr)/);
    }
  });
});
