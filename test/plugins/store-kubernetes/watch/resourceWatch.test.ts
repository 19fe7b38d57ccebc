import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { KubeObject } from '../../../../plugins/store-kubernetes/api/kubeObject.ts';
import type { ObjectChange } from '../../../../plugins/store-kubernetes/watch/objectMap.ts';
import { ResourceWatch } from '../../../../plugins/store-kubernetes/watch/resourceWatch.ts';
import type { WatchTimes } from '../../../../plugins/store-kubernetes/watch/resourceWatch.ts';
import { defer } from '../../../support/cleanup.ts';
import { heldTimers } from '../../../support/heldTimers.ts';
import { captureLog } from '../../../support/log.ts';
import { until } from '../../../support/until.ts';
import { PLACE, json, kubeStub, objectNamed } from '../kubeStub.ts';
import type { Asked } from '../kubeStub.ts';

const AT_ONCE = { firstBackoffMs: 0, maxBackoffMs: 0 };
const EXPIRED = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };

interface Script {
  /** Answers each list; the last one again and again. */
  readonly lists: readonly (readonly [version: string, ...names: readonly string[]])[];
  /** Answers each watch; those after them stay open and silent. */
  readonly watches: readonly ((res: ServerResponse) => unknown)[];
  readonly times?: Partial<WatchTimes>;
  readonly take?: () => void;
  readonly limits?: { readonly callMs: number };
  /** Answers probes of a silent watch. */
  readonly probe?: (res: ServerResponse) => unknown;
}

async function watchOf({ lists, watches, times = AT_ONCE, take, probe, limits }: Script) {
  const [left, more] = [[...lists], [...watches]];
  const watched: Asked[] = [];
  const answer = (asked: Asked, res: ServerResponse): void => {
    const { query } = asked;
    if (query.has('watch')) {
      watched.push(asked);
      const script = more.shift();
      res.flushHeaders();
      script?.(res);
      return;
    }
    if (query.get('limit') === '1') {
      probe?.(res);
      return;
    }
    const [resourceVersion = '', ...names] = (left.length > 1 ? left.shift() : left[0]) ?? [];
    json(res, 200, { items: names.map((name) => objectNamed(name, '1')), metadata: { resourceVersion } });
  };
  const { api, asked } = await kubeStub((request, res) => {
    // A watch that is refused has a head of its own.
    if (request.query.has('watch') && more[0] !== undefined && refusals.has(more[0])) {
      watched.push(request);
      more.shift()?.(res);
    } else answer(request, res);
  }, limits);
  const seen: string[] = [];
  const log = captureLog();
  const { records } = log;
  const watch = new ResourceWatch({
    api,
    place: PLACE,
    log,
    times,
    take: (changes: readonly ObjectChange[], objects: ReadonlyMap<string, KubeObject>) => {
      seen.push(`${changes.map(({ type, name }) => `${type} ${name}`).join(', ')} of ${objects.size}`);
      take?.();
    },
  });
  defer(() => watch.stop());
  return { watch, api, asked, watched, seen, records };
}

const refusals = new Set<(res: ServerResponse) => unknown>();
function refusal(status: number, body: object, headers = {}): (res: ServerResponse) => unknown {
  const script = (res: ServerResponse): void => json(res, status, body, headers);
  refusals.add(script);
  return script;
}
function event(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

describe('store-kubernetes: a watch', () => {
  it('lists page by page, follows events and bookmarks, and resumes where a server ended it in time', async () => {
    const pages = [['a'], ['b']];
    const watched: Asked[] = [];
    const { api } = await kubeStub((asked, res) => {
      const { query } = asked;
      if (!query.has('watch')) {
        const metadata = { resourceVersion: '5', continue: pages.length > 1 ? 'next' : '' };
        json(res, 200, { items: (pages.shift() ?? []).map((name) => objectNamed(name, '1')), metadata });
        return;
      }
      watched.push(asked);
      res.flushHeaders();
      if (watched.length > 1) return;
      res.write(event('ADDED', objectNamed('c', '6')));
      res.end(event('BOOKMARK', { metadata: { resourceVersion: '9' } }));
    });
    const seen: string[][] = [];
    const take = (changes: readonly ObjectChange[]): void => void seen.push(changes.map(({ name }) => name));
    const times = { ...AT_ONCE, watchSeconds: 0 };
    const watch = new ResourceWatch({ api, place: PLACE, take, log: captureLog(), times });
    defer(() => watch.stop());
    watch.start();
    await watch.synced;
    await until(() => watched.length === 2, { what: 'the second watch' });
    expect(seen).to.deep.equal([['a', 'b'], ['c']]);
    expect(watched.map(({ query }) => query.get('resourceVersion'))).to.deep.equal(['5', '9']);
    expect(watched[0]?.query.get('allowWatchBookmarks')).to.equal('true');
    expect(watch.state.isSynced).to.equal(true);
    expect(watch.state.lastContact).to.be.a('number');
  });

  it('asks for an end after four to five minutes', async () => {
    const { watch, watched } = await watchOf({ lists: [['5']], watches: [] });
    watch.start();
    await until(() => watched.length === 1, { what: 'the watch' });
    expect(Number(watched[0]?.query.get('timeoutSeconds'))).to.be.within(240, 300);
  });

  for (const [what, script] of [
    [
      'an end before its time, as when the definition of the kind has changed',
      (res: ServerResponse) => res.end(),
    ],
    ['garbage', (res: ServerResponse) => res.write('<html>\n')],
    ['an ERROR event with 410', (res: ServerResponse) => res.end(event('ERROR', EXPIRED))],
    ['HTTP 410', refusal(410, EXPIRED)],
    ['HTTP 500', refusal(500, {})],
  ] as const)
    it(`lists again after ${what}, and finds what was deleted and added meanwhile`, async () => {
      const lists = [
        ['5', 'a', 'b'],
        ['8', 'b', 'c'],
      ] as const;
      const { watch, seen, watched } = await watchOf({ lists, watches: [script] });
      watch.start();
      await until(() => watched.length === 2, { what: 'the second watch' });
      expect(seen).to.deep.equal(['applied a, applied b of 2', 'deleted a, applied c of 2']);
      expect(watched[1]?.query.get('resourceVersion')).to.equal('8');
      await until(() => watch.state.lastError === undefined, { what: 'health' });
    });

  it('resumes without a list after a connection that broke', async () => {
    const cut = (res: ServerResponse): void =>
      void res.write(event('ADDED', objectNamed('b', '7')), () => setImmediate(() => res.destroy()));
    const { watch, asked, watched } = await watchOf({ lists: [['5', 'a']], watches: [cut] });
    watch.start();
    await until(() => watched.length === 2, { what: 'the second watch' });
    expect(watched[1]?.query.get('resourceVersion')).to.equal('7');
    expect(asked).to.have.length(3);
  });

  it('tells once that the definition of its resources is gone, and does not if it never was there', async () => {
    for (const hasBeen of [true, false]) {
      let gone = 0;
      const log = captureLog();
      const { api, asked } = await kubeStub((_, res) => {
        if (hasBeen && asked.length === 1) json(res, 200, { items: [], metadata: { resourceVersion: '5' } });
        else res.writeHead(404).end('404 page not found\n');
      });
      const parts = { api, place: PLACE, log, times: AT_ONCE, gone: () => (gone += 1) };
      const watch = new ResourceWatch({ ...parts, take: () => undefined });
      defer(() => watch.stop());
      watch.start();
      await until(() => asked.length > 5, { what: 'more refusals' });
      expect(gone).to.equal(Number(hasBeen));
      expect(watch.state.restarts).to.be.above(2);
      expect(log.records.map(({ level, text }) => `${level} ${text}`)).to.deep.equal([
        hasBeen
          ? 'warn the custom resource definition is gone, and with it all its objects'
          : 'warn watch interrupted',
      ]);
    }
  });

  it('waits for a random time after an early end, because all replicas see it, and lists then', async () => {
    const timers = heldTimers();
    const now = performance.now.bind(performance);
    let late = 0;
    performance.now = () => now() + late;
    defer(() => Reflect.deleteProperty(performance, 'now'));
    const random = Math.random;
    Math.random = () => 0.5;
    defer(() => void (Math.random = random));
    const end = (res: ServerResponse): void => void ((late = 2_000), res.end());
    const { watch, asked, watched } = await watchOf({ lists: [['5']], watches: [end], times: {} });
    watch.start();
    await until(() => watched.length === 1 && late > 0, { what: 'its end' });
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(asked).length(2);
    timers.pass(125);
    await until(() => watched.length === 2, { what: 'the second watch' });
  });

  it('waits as long as a 429 asks, and resumes', async () => {
    const timers = heldTimers();
    const busy = refusal(429, { kind: 'Status', code: 429 }, { 'retry-after': '7' });
    const probe = (res: ServerResponse): void => json(res, 200, { items: [], metadata: {} });
    const { watch, api, watched, records } = await watchOf({ lists: [['5']], watches: [busy], probe });
    watch.start();
    await until(() => records.length === 1, { what: 'the refusal' });
    await turn();
    timers.pass(6_999);
    // Had the watch returned, the server would know before it has answered twice.
    for (let at = 0; at < 2; at += 1) await api.list(PLACE, { limit: 1 });
    expect(watched).to.have.length(1);
    timers.pass(1);
    await until(() => watched.length === 2, { what: 'the next watch' });
    expect(watched[1]?.query.get('resourceVersion')).to.equal('5');
  });

  it('asks a server that is silent whether it lives, and lists again if it does not', async () => {
    let probes = 0;
    const { watch, watched, seen } = await watchOf({
      lists: [['5', 'a'], ['8']],
      watches: [],
      times: { ...AT_ONCE, silenceMs: 10 },
      limits: { callMs: 1_000 },
      probe: (res) => {
        probes += 1;
        if (probes !== 2) json(res, 200, { items: [], metadata: {} });
      },
    });
    watch.start();
    await until(() => watched.length === 2, { what: 'the second watch' });
    expect(seen).to.deep.equal(['applied a of 1', 'deleted a of 0']);
    expect(probes).to.be.at.least(2);
  });

  it('survives a consumer that throws', async () => {
    const script = (res: ServerResponse): void => void res.write(event('ADDED', objectNamed('b', '6')));
    const { watch, seen, records } = await watchOf({
      lists: [['5', 'a']],
      watches: [script],
      take: () => {
        throw new Error('not today');
      },
    });
    watch.start();
    await until(() => seen.length === 2, { what: 'both changes' });
    expect(records.map(({ level }) => level)).to.deep.equal(['error', 'error']);
    expect([...watch.objects.keys()]).to.deep.equal(['a', 'b']);
  });
});
