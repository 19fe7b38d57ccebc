import { expect } from 'chai';
import { forwardedRequest } from '../../../../plugins/auth-server/web/forwardedRequest.ts';
import type { ForwardedRequest } from '../../../../plugins/auth-server/web/forwardedRequest.ts';
import { addressRanges } from '../../../../plugins/kit/http/addressRanges.ts';

const BASE = 'https://svc.example';
const proxies = addressRanges(['10.0.0.0/8', 'fd00::/8', '192.0.2.1/32']);

function seen(remoteAddress: string | undefined, headers: Record<string, string> = {}): ForwardedRequest {
  const facts = { header: (name: string) => headers[name] };
  const request = remoteAddress === undefined ? facts : { ...facts, remoteAddress };
  return forwardedRequest(request, proxies, BASE);
}
const addressFrom = (peer: string, forwarded: string): string | undefined =>
  seen(peer, { 'x-forwarded-for': forwarded }).address;

describe('auth-server: the address of a client and its URL of the gateway', () => {
  const forwarded = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'shop.example',
    host: 'localhost:8090',
  };

  it('takes scheme and host of a trusted proxy, and always the base URL', () => {
    const both = ['https://shop.example', BASE];
    expect(seen('10.1.2.3', forwarded).origins).deep.equal(both);
    expect(seen('::ffff:10.1.2.3', forwarded).origins).deep.equal(both);
    expect(seen('fd00::1', forwarded).origins).deep.equal(both);
  });

  it('T61: ignores the forwarded headers of an untrusted peer', () => {
    for (const peer of ['203.0.113.5', '192.0.2.2', '::ffff:11.0.0.1', 'fe80::1%eth0', '2001:db8::1'])
      expect(seen(peer, forwarded).origins, peer).deep.equal(['http://localhost:8090', BASE]);
    expect(seen(undefined, forwarded)).deep.equal({
      address: undefined,
      origins: ['http://localhost:8090', BASE],
      doubt: 'untrusted',
    });
  });

  it('takes the value that the trusted peer has added, and what it left out from the request', () => {
    const listed = { 'x-forwarded-proto': 'http, https', 'x-forwarded-host': 'evil.example, shop.example' };
    expect(seen('10.0.0.1', listed).origins).deep.equal(['https://shop.example', BASE]);
    expect(seen('10.0.0.1', { 'x-forwarded-proto': 'https', host: 'A.example:443' }).origins).deep.equal([
      'https://a.example',
      BASE,
    ]);
  });

  it('names an origin once, and none that is not one', () => {
    expect(seen('10.0.0.1', { 'x-forwarded-proto': 'https', host: 'svc.example' }).origins).deep.equal([
      BASE,
    ]);
    for (const host of [
      'u@evil.example',
      'evil.example/path',
      'evil.example?',
      '',
      '[::1',
      'a:b:c',
      'a:99999',
    ])
      expect(seen('203.0.113.5', { host }).origins, host).deep.equal([BASE]);
    expect(seen('10.0.0.1', { host: 'a.example', 'x-forwarded-proto': 'javascript' }).origins).deep.equal([
      BASE,
    ]);
  });

  it('T68: takes X-Forwarded-For from trusted proxies only, and there the rightmost address that is not one', () => {
    expect(addressFrom('203.0.113.5', '198.51.100.1')).equal('203.0.113.5');
    expect(addressFrom('10.0.0.1', '198.51.100.1')).equal('198.51.100.1');
    expect(addressFrom('10.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.2')).equal('198.51.100.1');
    expect(addressFrom('::ffff:10.0.0.1', '10.0.0.3, 10.0.0.2')).equal('10.0.0.3');
    expect(addressFrom('10.0.0.1', '')).equal('10.0.0.1');
  });

  it('reads addresses with ports, brackets and the IPv6 form of IPv4, and stops at what is not an address', () => {
    expect(addressFrom('10.0.0.1', '198.51.100.1:5000')).equal('198.51.100.1');
    expect(addressFrom('10.0.0.1', '[2001:db8::1]:5000')).equal('2001:db8::1');
    expect(addressFrom('10.0.0.1', '::ffff:198.51.100.1')).equal('198.51.100.1');
    expect(addressFrom('10.0.0.1', '198.51.100.1, unknown, 10.0.0.2')).equal('10.0.0.2');
  });

  it('reads Forwarded of trusted proxies: the rightmost address that is not one, scheme and host of the last', () => {
    const from = (forwarded: string, peer = '10.0.0.1'): ForwardedRequest =>
      seen(peer, { forwarded, host: 'a.example' });
    const CASES: readonly (readonly [string, string])[] = [
      ['for=198.51.100.1', '198.51.100.1'],
      ['For="198.51.100.1:5000"', '198.51.100.1'],
      ['for=198.51.100.1:5000', '10.0.0.1'],
      ['for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
      ['for="[2001:DB8::1]"', '2001:DB8::1'],
      ['for="198.51.100.1:_port"', '198.51.100.1'],
      ['for="[2001:db8::1]:_p.1"', '2001:db8::1'],
      ['for=1.1.1.1, for=198.51.100.1, for=10.0.0.2', '198.51.100.1'],
      ['for=1.1.1.1;proto=http , for="198.51.100.1";by=10.0.0.2', '198.51.100.1'],
      ['for="198.51\\.100.1"', '198.51.100.1'],
      ['for=198.51.100.1, for=unknown, for=10.0.0.2', '10.0.0.2'],
      ['for=198.51.100.1, for=_hidden', '10.0.0.1'],
      ['for=198.51.100.1, proto=https', '10.0.0.1'],
    ];
    for (const [forwarded, address] of CASES) expect(from(forwarded).address, forwarded).equal(address);
    expect(from('for=1.1.1.1', '203.0.113.5')).deep.equal({
      address: '203.0.113.5',
      origins: ['http://a.example', BASE],
      doubt: 'untrusted',
    });
    expect(from('for=1.1.1.1;proto=https;host="shop.example:8443"').origins).deep.equal([
      'https://shop.example:8443',
      BASE,
    ]);
    expect(from('proto=https;host=evil.example, for=1.1.1.1').origins).deep.equal(['http://a.example', BASE]);
  });

  it('believes nothing of a Forwarded that is malformed', () => {
    for (const forwarded of [
      '',
      ',',
      'for',
      'for=',
      'for="1.1.1.1',
      'for="1.1.1.1, for=198.51.100.1;proto=https',
      'for=6.6.6.6;x=", for="[2001:db8::1]:80";proto=https',
      'for=[2001:db8::1]',
      'for=1.1.1.1;',
      'for = 1.1.1.1',
      'for=1.1.1.1 for=2.2.2.2',
      'for=1.1.1.1, , for=2.2.2.2;',
      '198.51.100.1',
      '\u0000',
      'for="\\',
      `${'for=1.1.1.1,'.repeat(1_000)}"`,
    ])
      expect(seen('10.0.0.1', { forwarded, host: 'a.example' }), forwarded)
        .include({ address: '10.0.0.1' })
        .and.deep.include({ origins: [BASE] });
  });

  it('believes X-Forwarded-* and Forwarded together only in what they agree on, because a client may have sent one of them', () => {
    const proxied = { 'x-forwarded-for': '198.51.100.1', 'x-forwarded-proto': 'https', host: 'shop.example' };
    const agreed = seen('10.0.0.1', { ...proxied, forwarded: 'for=198.51.100.1;proto=https' });
    expect(agreed).deep.equal({ address: '198.51.100.1', origins: ['https://shop.example', BASE] });
    for (const forwarded of [
      'for=6.6.6.6;proto=https',
      'proto=https',
      'for="',
      '',
      'for=6.6.6.6, for=10.0.0.2;proto=https',
    ])
      expect(seen('10.0.0.1', { ...proxied, forwarded }), forwarded).include({
        address: '10.0.0.1',
        doubt: 'contradictory',
      });
    const spoofed = seen('10.0.0.1', {
      'x-forwarded-proto': 'https',
      host: 'shop.example',
      forwarded: 'for=6.6.6.6;proto=https',
    });
    expect(spoofed.address, 'a proxy that sets the scheme only').equal('10.0.0.1');
    const others = seen('10.0.0.1', {
      ...proxied,
      forwarded: 'for=198.51.100.1;proto=https;host=evil.example',
    });
    expect(others).deep.equal({ address: '198.51.100.1', origins: [BASE], doubt: 'contradictory' });
  });

  it('says which forwarded headers it does not believe', () => {
    expect(seen('203.0.113.5', { 'x-forwarded-for': '1.1.1.1' }).doubt).equal('untrusted');
    expect(seen('203.0.113.5', { 'x-forwarded-proto': 'https' }).doubt).equal('untrusted');
    expect(seen('203.0.113.5', { host: 'a.example' }).doubt).equal(undefined);
    expect(seen('10.0.0.1', { 'x-forwarded-for': '1.1.1.1' }).doubt).equal(undefined);
  });
});
