import { expect } from 'chai';
import { noProxy } from '../../../../plugins/kit/net/noProxy.ts';

const CASES: readonly (readonly [entry: string, exempt: readonly string[], proxied: readonly string[]])[] = [
  ['corp.test', ['corp.test', 'a.b.corp.test', 'CORP.test'], ['xcorp.test', 'test', 'corp.test.evil.test']],
  ['.corp.test', ['corp.test', 'a.corp.test'], ['xcorp.test']],
  ['*.Corp.test', ['corp.test', 'a.corp.test'], ['xcorp.test']],
  ['corp.test.', ['corp.test'], ['other.test']],
  ['*', ['corp.test', '10.0.0.1', '::1'], []],
  ['10.1.2.3', ['10.1.2.3'], ['10.1.2.30', '110.1.2.3']],
  ['10.1.0.0/16', ['10.1.0.1', '10.1.255.255'], ['10.2.0.1', 'corp.test']],
  ['10.1.0.0/33', [], ['10.1.0.1']],
  ['fd00::/8', ['fd12::1'], ['fe80::1', '10.0.0.1']],
  ['fd12::1', ['fd12::1'], ['fd12::2']],
  ['[fd12::1]', ['fd12::1'], ['fd12::2']],
  ['', [], ['corp.test']],
  ['.', [], ['corp.test']],
];

describe('lib: noProxy', () => {
  for (const [entry, exempt, proxied] of CASES) {
    it(`reads ${JSON.stringify(entry)}`, () => {
      const isExempt = noProxy([entry]);
      expect(exempt.filter((host) => !isExempt(host, 443))).deep.equal([]);
      expect(proxied.filter((host) => isExempt(host, 443))).deep.equal([]);
    });
  }

  it('counts a port where one is given', () => {
    const isExempt = noProxy(['corp.test:8443', '[fd12::1]:81', '10.0.0.0/8:80', '*:9']);
    const asked = [
      ['corp.test', 8443],
      ['a.corp.test', 8443],
      ['fd12::1', 81],
      ['10.3.4.5', 80],
      ['any.test', 9],
    ] as const;
    expect(asked.map(([host, port]) => isExempt(host, port))).deep.equal(asked.map(() => true));
    expect(asked.map(([host]) => isExempt(host, 443))).deep.equal(asked.map(() => false));
  });
});
