import { expect } from 'chai';
import { callerKey, ownerOf, sharerOf } from '../../../../plugins/kit/authority/ownerOf.ts';
import { requestOf } from '../../../support/requests.ts';

describe('callerKey', () => {
  it('is the same for one caller and different for any other, whatever characters their names contain', () => {
    const callers = [
      { subject: 'a' },
      { subject: 'a', issuer: '' },
      { subject: 'b c', issuer: 'a' },
      { subject: 'c', issuer: 'a b' },
      { subject: 'c', issuer: 'a|b' },
      { subject: 'b|c', issuer: 'a' },
    ];
    expect(new Set(callers.map(callerKey)).size).to.equal(callers.length);
    expect(callerKey({ subject: 'a', issuer: 'i' })).to.equal(callerKey({ issuer: 'i', subject: 'a' }));
  });

  it('is undefined without a caller', () => {
    expect(callerKey(undefined)).to.equal(undefined);
  });
});

describe('ownerOf', () => {
  const caller = { subject: 'ada', issuer: 'https://as.example' };
  const request = { ...requestOf(), sessionId: 'session' };

  it('is the caller across all sessions and edges, else the anonymous owner the edge set, else the session', () => {
    const named = { ...request, anonymousOwner: 'edge' };
    expect(ownerOf({ ...named, caller })).to.equal(callerKey(caller));
    expect(ownerOf(named)).to.equal('edge');
    expect(ownerOf(request)).to.equal('session');
  });

  it('is the same within an unidentified request, and different for the next one', () => {
    const [one, other] = [1, 2].map(() => ({ ...request, sessionId: undefined }));
    expect(ownerOf(one!)).to.equal(ownerOf(one!)).and.not.equal(ownerOf(other!));
  });

  it('shares pooled resources by owner, and by address without an owner, in any order of calls', () => {
    const owned = [{ ...request, caller }, { ...request, anonymousOwner: 'edge' }, request];
    expect(owned.map(sharerOf)).to.deep.equal(owned.map(ownerOf));
    const unknown = { ...request, sessionId: undefined, remoteAddress: '192.0.2.1' };
    ownerOf(unknown);
    expect(sharerOf(unknown)).to.equal('192.0.2.1');
    expect(sharerOf({ ...request, sessionId: undefined })).to.equal('test');
  });
});
