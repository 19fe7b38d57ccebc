import { expect } from 'chai';
import { otherUsers, usersFinding } from '../../../../plugins/cli/doctor/usersFinding.ts';
import type { Machine } from '../../../../plugins/cli/doctor/usersFinding.ts';

const PASSWD = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
# a comment
postgres:x:114:120::/var/lib/postgresql:/bin/bash
ann:x:1000:1000:Ann,,,:/home/ann:/bin/bash
mirror:x:1001:1001::/home/mirror:/usr/sbin/nologin
kiosk:x:1002:1002::/home/kiosk:/bin/false
nixbld1:x:30001:30000:Nix build user 1:/var/empty:/sbin/nologin
overflow:x:65534:65534:no person:/nonexistent:/bin/sh
`;
const BEN = 'ben:x:1003:1003:Ben:/home/ben:/usr/bin/zsh\n';
const NO_SHELL = 'eve:x:1004:1004:Eve:/home/eve:\n';

describe('plugins/cli: usersFinding', () => {
  const others = (uid: number, passwd: string, homeOwners: readonly number[] = []): readonly number[] =>
    otherUsers({ uid, passwd, homeOwners, firstUid: 1_000 });

  it('counts accounts that can log in, besides the own one and those of the system', () => {
    expect(others(1000, PASSWD)).to.deep.equal([]);
    expect(others(1000, PASSWD + BEN)).to.deep.equal([1003]);
    expect(others(1003, PASSWD + BEN)).to.deep.equal([1000]);
    expect(others(1000, PASSWD + NO_SHELL), 'the default shell').to.deep.equal([1004]);
    expect(others(1000, '')).to.deep.equal([]);
  });

  it('counts owners of home folders that no file lists, as those of LDAP', () => {
    expect(others(1000, PASSWD, [0, 1000, 1001, 1002])).to.deep.equal([]);
    expect(others(1000, PASSWD + BEN, [1000, 1003, 190_423])).to.deep.equal([1003, 190_423]);
  });

  it('takes the only account beside root for the same person', () => {
    expect(others(0, PASSWD)).to.deep.equal([]);
    expect(others(0, PASSWD + BEN)).to.deep.equal([1000, 1003]);
  });

  it('counts accounts of macOS, which are not in the file, by their folders', () => {
    const machine = { uid: 501, passwd: '', firstUid: 501 };
    expect(otherUsers({ ...machine, homeOwners: [0, 201, 501] })).to.deep.equal([]);
    expect(otherUsers({ ...machine, homeOwners: [0, 201, 501, 502] })).to.deep.equal([502]);
  });

  it('recommends the token if the gateway wants neither it nor a sign-in', () => {
    const machine: Machine = { uid: 1000, passwd: PASSWD + BEN, homeOwners: [], firstUid: 1_000 };
    const of = (aggregator: object, on = machine) => usersFinding({ aggregator }, on);
    const warning = {
      level: 'warning',
      subject: 'users',
      message:
        '1 other user of this machine can call every tool: the gateway wants neither a sign-in nor a token',
      fix: 'write aggregator: { localToken: true } into config.yaml, then: pegboard link',
    } as const;
    expect(of({})).to.deep.equal([warning]);
    expect(usersFinding({}, machine)).to.deep.equal([warning]);
    expect(of({ oauth: { server: { enabled: false } } })).to.deep.equal([warning]);
    expect(of({}, { ...machine, homeOwners: [2000] })[0]?.message).to.match(/^2 other users of/);
    expect(of({ localToken: true })).to.deep.equal([]);
    expect(of({ oauth: { server: { enabled: true } } })).to.deep.equal([]);
    expect(of({}, { ...machine, passwd: PASSWD })).to.deep.equal([]);
  });
});
