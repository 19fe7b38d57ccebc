import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { ANYONE, GatewayError } from '../../../../kernel/index.ts';
import type { InboundRequest } from '../../../../kernel/index.ts';
import type { CallerCredential } from '../../../../plugins/contracts/credentials.ts';
import { CallersServers } from '../../../../plugins/upstream/own/callersServers.ts';
import { movableClock } from '../../../support/clock.ts';
import { heldTimers } from '../../../support/heldTimers.ts';
import { captureLog } from '../../../support/log.ts';
import { gate, until } from '../../../support/until.ts';

const ann: InboundRequest = { ...ANYONE, caller: { subject: 'ann' } };
const bob: InboundRequest = { ...ANYONE, caller: { subject: 'bob' } };

/** @param connects what each attempt does, by server */
function bench(connects: Readonly<Record<string, () => Promise<unknown>>>) {
  const attempts: string[] = [];
  const prepared: InboundRequest[] = [];
  const log = captureLog();
  let isAway = false;
  /** `retryAt` of each credential in ms since 1970, by owner and server. */
  const retries = new Map<string, number>();
  const connected = new Set<string>();
  const credentialFor = ({ caller }: InboundRequest, server: string) =>
    ({
      owner: caller?.subject,
      get retryAt() {
        return retries.get(`${caller?.subject} ${server}`);
      },
    }) as CallerCredential;
  const names = Object.keys(connects);
  const servers = new CallersServers(
    {
      log,
      credentials: () => ({
        canSignIn: () => true,
        follow: () => () => undefined,
        of: ({ name }, request) => credentialFor(request, name),
        usable: (request) =>
          isAway
            ? Promise.reject(new GatewayError('STORE_UNREACHABLE', 'away'))
            : Promise.resolve(
                names.map((server) => ({ server, credential: credentialFor(request, server) })),
              ),
      }),
    },
    () =>
      names.map((name) => ({
        name,
        isSuspended: false,
        credentialOf: (request: InboundRequest) => credentialFor(request, name),
        isCurrent: (owner: string) => connected.has(`${owner} ${name}`),
        recallFor: () => Promise.resolve(),
        connect: async ({ owner }: CallerCredential) => {
          attempts.push(`${owner} ${name}`);
          await connects[name]?.();
          connected.add(`${owner} ${name}`);
          return { tools: [], resources: [], prompts: [] };
        },
      })),
    (request) => void prepared.push(request),
  );
  return { servers, attempts, prepared, log, retries, away: (next: boolean) => void (isAway = next) };
}
const works = (): Promise<void> => Promise.resolve();
const fails = (): Promise<never> => Promise.reject(new GatewayError('UPSTREAM_UNREACHABLE', 'not now'));
const hangs = (): Promise<never> => new Promise(() => undefined);

describe('upstream: the servers of a caller', () => {
  it('are connected at once, each one time, for requests that come together too', async () => {
    const { servers, attempts, prepared } = bench({ a: works, b: works });
    await Promise.all([servers.prepare(ann), servers.prepare(ann)]);
    expect(attempts).deep.equal(['ann a', 'ann b']);
    expect(prepared).lengthOf(2);
    expect(servers.prepare(ann)).equal(undefined);
    await servers.prepare(bob);
    expect(attempts).deep.equal(['ann a', 'ann b', 'bob a', 'bob b']);
  });

  it('are not tried again by later requests if one fails, nor because another caller has signed in', async () => {
    const { servers, attempts, log } = bench({ a: fails, b: works });
    await servers.prepare(ann);
    for (let request = 0; request < 10; request += 1) expect(servers.prepare(ann)).equal(undefined);
    servers.forget('bob');
    expect(servers.prepare(ann)).equal(undefined);
    expect(attempts).deep.equal(['ann a', 'ann b']);
    expect(log.having('could not be connected')).lengthOf(1);
  });

  it('are tried again after a sign-in of the caller, and after a change of one of them', async () => {
    const { servers, attempts } = bench({ a: fails });
    const changes = [() => undefined, () => servers.forget('ann'), () => servers.redefined('a')];
    for (const change of changes) {
      change();
      await servers.prepare(ann);
    }
    expect(attempts).deep.equal(['ann a', 'ann a', 'ann a']);
  });

  it('are tried again by a request once the pause of a failure is over: one attempt at a time, for that caller, unawaited', async () => {
    const { later } = movableClock();
    const held = gate();
    let connect = fails;
    const { servers, attempts, retries } = bench({ a: () => connect(), b: works });
    await servers.prepare(ann);
    await servers.prepare(bob);
    const first = attempts.splice(0);
    expect(first).deep.equal(['ann a', 'ann b', 'bob a', 'bob b']);
    retries.set('ann a', Date.now() + 5_000).set('ann b', Date.now());
    later(4_000);
    expect(servers.prepare(ann)).equal(undefined);
    expect(attempts, 'not yet').deep.equal([]);
    later(1_000);
    connect = () => held.opened as Promise<never>;
    for (const request of [ann, bob, ann, ann]) expect(servers.prepare(request)).equal(undefined);
    expect(attempts, 'in the background').deep.equal(['ann a']);
    held.open();
    await setImmediate();
    expect(servers.prepare(ann)).equal(undefined);
    expect(attempts, 'not once it is connected').deep.equal(['ann a']);
  });

  it('are tried again by the next request if the vault is away for one of them', async () => {
    const away = (): Promise<never> => Promise.reject(new GatewayError('STORE_UNREACHABLE', 'away'));
    let connect: () => Promise<unknown> = away;
    const { servers, attempts } = bench({ a: () => connect(), b: works });
    await servers.prepare(ann);
    connect = works;
    await servers.prepare(ann);
    expect(servers.prepare(ann)).equal(undefined);
    expect(attempts).deep.equal(['ann a', 'ann b', 'ann a']);
  });

  it('are waited for 15 seconds at most', async () => {
    const { pass, end } = heldTimers();
    const { servers, attempts, prepared } = bench({ a: hangs, b: works });
    const first = servers.prepare(ann);
    expect(attempts).deep.equal([]);
    pass(14_999);
    await Promise.resolve();
    expect(prepared).deep.equal([]);
    pass(1);
    end();
    await first;
    expect(attempts).deep.equal(['ann a', 'ann b']);
    expect(servers.prepare(ann)).equal(undefined);
  });

  it('are tried again as soon as the vault is back', async () => {
    const { servers, attempts, away } = bench({ a: works });
    away(true);
    await servers.prepare(ann);
    expect(attempts).deep.equal([]);
    away(false);
    await servers.prepare(ann);
    await until(() => attempts.length === 1);
  });
});
