import { expect } from 'chai';
import { ANYONE, Cancellation, GatewayError } from '../../../../kernel/index.ts';
import type { Client } from '../../../../kernel/index.ts';
import type { GuardedServer } from '../../../../plugins/contracts/credentials.ts';
import type { SignInStatuses } from '../../../../plugins/contracts/signIns.ts';
import { UrlOffers } from '../../../../plugins/auth-client/tools/urlOffers.ts';
import { eventually } from '../../../contract/index.ts';
import { captureLog } from '../../../support/log.ts';
import { RULES } from '../grants/grantBench.ts';

const SERVER = { name: 'notes', auth: RULES } as GuardedServer;
const WAITING: SignInStatuses['of'] = () => Promise.resolve({ status: 'auth_required' });

/** A client that opens links, and statuses that are asked for while a person signs in. */
function offering(of: SignInStatuses['of']) {
  const seen = { asked: 0, following: 0 };
  const client = {
    id: 'c',
    capabilities: { elicitation: { url: {} } },
    ask: () => {
      seen.asked += 1;
      return Promise.resolve({ kind: 'result', json: '{"action":"accept"}' });
    },
    tell: () => undefined,
  } as unknown as Client;
  const follow = (): (() => void) => {
    seen.following += 1;
    return () => void (seen.following -= 1);
  };
  const offers = new UrlOffers(
    { link: () => Promise.resolve({ url: 'https://gw/link' }), connect: () => Promise.resolve(undefined) },
    () => ({ of, follow }),
    captureLog(),
  );
  const offer = (cancel?: Cancellation): Promise<boolean> =>
    offers.offer(SERVER, { ...ANYONE }, { client, ...(cancel && { cancel }) });
  return { seen, offer };
}

describe('auth-client: links that are offered by a question', () => {
  it('wait for no sign-in any more once its state cannot be read', async () => {
    const { seen, offer } = offering(() => Promise.reject(new GatewayError('STORE_UNREACHABLE', 'away')));
    expect(await offer()).equal(false);
    expect(seen).deep.equal({ asked: 1, following: 0 });
  });

  it('are offered again after a call was cancelled, also to one that waited with it', async () => {
    const { seen, offer } = offering(WAITING);
    const [first, second] = [new Cancellation(), new Cancellation()];
    const both = [offer(first), offer(second)];
    await eventually(() => seen.following === 1, 'the first question');
    first.cancel('not wanted');
    expect(await both[0]).equal(false);
    await eventually(() => seen.asked === 2 && seen.following === 1, 'the next question');
    second.cancel('not wanted');
    expect(await both[1]).equal(false);
    expect(seen).deep.equal({ asked: 2, following: 0 });
  });
});
