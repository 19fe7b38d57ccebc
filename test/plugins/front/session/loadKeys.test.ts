import { expect } from 'chai';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { EndedSessions } from '../../../../plugins/front/session/endedSessions.ts';
import { loadKeys } from '../../../../plugins/front/session/loadKeys.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { captureLog } from '../../../support/log.ts';

describe('front: session keys', () => {
  it('makes a key only its owner can read, and finds it again', () => {
    const { path, at } = makeDirectory();
    const [first] = loadKeys(path);
    expect(first?.key).length(32);
    expect(statSync(at('session-keys.json')).mode & 0o777).equal(0o600);
    expect(loadKeys(path)).deep.equal([first]);
    expect(readdirSync(path)).deep.equal(['session-keys.json']);
  });

  it('seals with the first key of the file and opens with all', () => {
    const one = { id: '00000001', key: Buffer.alloc(32, 1).toString('base64') };
    const two = { id: '00000002', key: Buffer.alloc(32, 2).toString('base64') };
    const { path } = makeDirectory({ 'session-keys.json': JSON.stringify({ keys: [two, one] }) });
    expect(loadKeys(path).map(({ id }) => id.toString('hex'))).deep.equal(['00000002', '00000001']);
  });

  it('makes a new key each time without a state directory', () => {
    expect(loadKeys(undefined)).not.deep.equal(loadKeys(undefined));
  });

  for (const text of ['', '{', '{}', '{"keys":[]}', '{"keys":[{"id":"00","key":"AA=="}]}', 'null']) {
    it(`refuses a file holding ${JSON.stringify(text)} and says what to do`, () => {
      const { path, at } = makeDirectory({ 'session-keys.json': text });
      expect(() => loadKeys(path)).throw(/session-keys\.json cannot be used; repair it, or remove it/);
      expect(readFileSync(at('session-keys.json'), 'utf8')).equal(text);
    });
  }
});

describe('front: ended sessions', () => {
  const open = (path: string | undefined, now: number): EndedSessions => {
    const ended = new EndedSessions(path, captureLog());
    ended.load(now);
    return ended;
  };

  it('are remembered over a restart until their handle expires', () => {
    const { path } = makeDirectory();
    const first = open(path, 0);
    first.add('a', 1_000, 0);
    first.add('b', 2_000, 0);
    expect(open(path, 500).has('a')).equal(true);
    const later = open(path, 1_500);
    expect([later.has('a'), later.has('b')]).deep.equal([false, true]);
    expect(readFileSync(`${path}/ended-sessions`, 'utf8')).equal('b 2000\n');
  });

  it('are tidied in one step, and only when something has expired', () => {
    const { path, at } = makeDirectory({ 'ended-sessions': 'a 1000\nb 2000\n' });
    const inode = (): number => statSync(at('ended-sessions')).ino;
    const before = inode();
    open(path, 500);
    expect(inode()).equal(before);
    open(path, 1_500);
    expect(inode()).not.equal(before);
    expect(readdirSync(path)).deep.equal(['ended-sessions']);
  });

  it('are dropped from memory once expired', () => {
    const ended = open(undefined, 0);
    ended.add('a', 1_000, 0);
    ended.add('b', 200_000, 100_000);
    expect([ended.has('a'), ended.has('b')]).deep.equal([false, true]);
  });

  it('survive a file that was cut or damaged', () => {
    const { path } = makeDirectory({ 'ended-sessions': 'a 5000\n\nnonsense\nb\n\u0000 5\nc 50' });
    const ended = open(path, 1_000);
    expect([ended.has('a'), ended.has('b'), ended.has('c')]).deep.equal([true, false, false]);
  });

  it('go on without the file, and say what that means', () => {
    const { at } = makeDirectory();
    const log = captureLog();
    const ended = new EndedSessions(`${at('missing')}/deeper`, log);
    ended.load(0);
    ended.add('a', 1_000, 0);
    expect(ended.has('a')).equal(true);
    expect(log.having('not remembered over a restart', 'warn')).length(1);
  });
});
