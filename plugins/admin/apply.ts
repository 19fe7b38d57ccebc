import { isDeepStrictEqual } from 'node:util';
import { STAGE } from 'pegboard';
import type { Scope } from 'pegboard';
import { openSideListener } from '../kit/http/sideListener.ts';
import type { SideListener } from '../kit/http/sideListener.ts';
import { CallHistory } from '../contracts/callHistory.ts';
import { ClientSource } from '../contracts/oauth.ts';
import { MemoryBudget } from '../contracts/memory.ts';
import type { AdminConfig, ListenerConfig } from './config.ts';
import { CallsUnderWay } from './data/callsUnderWay.ts';
import { GatewayLog } from './data/gatewayLog.ts';
import { OtherWorkers } from './data/otherWorkers.ts';
import { StateHistory } from './data/stateHistory.ts';
import { Minutes } from './data/minutes.ts';
import { Persons } from './data/persons.ts';
import { writingIn } from './data/standardError.ts';
import { pagesOf } from './pagesOf.ts';
import { AddedPages } from './web/addedPages.ts';
import type { AdminAddress } from './web/checkSender.ts';
import { Entrance } from './web/entrance.ts';
import { Live } from './web/live.ts';
import { Site } from './web/site.ts';

const DAY_MS = 86_400_000;
/** Events that no page shows: they would make pages read themselves again and again. */
const UNSEEN = /^(call\.settled|call\.refused)$/;

const isWorker = process.env['PEGBOARD_WORKER'] !== undefined;

export function apply(scope: Scope<AdminConfig>): void {
  const hasWritten = writingIn(scope);
  let hasCalled = false;
  const live = new Live(() => {
    const isNew = hasCalled;
    hasCalled = false;
    return calls.size > 0 || hasWritten() || isNew;
  });
  const history = new StateHistory();
  const calls = new CallsUnderWay();
  const others = new OtherWorkers(scope, calls);
  const minutes = new Minutes();
  const log = new GatewayLog();
  let listener: SideListener | undefined;
  let bound: ListenerConfig | undefined;
  const entrance = new Entrance(scope, () => originOf(bound));
  scope.provide(ClientSource, {
    find: (id) => (bound?.signIn === true && id === entrance.client.id ? entrance.client : undefined),
  });
  const began = Date.now();
  /** The figures include what was kept of the day before this start. */
  const countFormer = async (): Promise<void> => {
    const former = await scope.find(CallHistory)?.ended(began - DAY_MS, began);
    for (const call of former ?? []) minutes.add(call);
    live.changed();
  };
  const added = new AddedPages(
    scope,
    pagesOf({ scope, history, calls, minutes, persons: new Persons(scope), log, others }),
  );
  const site = new Site({
    pages: () => added.pages(),
    actions: () => added.actions(),
    live,
    log: scope.log,
    memory: () => scope.find(MemoryBudget),
    place: () => bound && listener && placeOf(bound, listener.port),
    entrance: () => (bound?.signIn === true ? entrance : undefined),
  });
  const open = async (to: ListenerConfig): Promise<void> => {
    // The first process has the address; a worker knows the client of its sign-in only.
    if (isWorker) {
      bound = to;
      return;
    }
    const { bindAddress: host, port } = to;
    const handler = (...exchange: Parameters<Site['receive']>): void => void site.receive(...exchange);
    listener = await openSideListener({
      host,
      port,
      handler,
      log: scope.log,
      setting: 'aggregator.admin.port',
    });
    bound = to;
    const shown = host.includes(':') ? `[${host}]` : host;
    const at = to.signIn && { for: `${originOf(to)}/` };
    scope.log.info('admin pages are served', { url: `http://${shown}:${listener.port}/`, ...at });
  };
  const close = async (): Promise<void> => {
    live.stop();
    await listener?.close();
    listener = undefined;
  };
  added.follow(() => live.changed());
  scope.tap('onCall', (call, next) => calls.follow(call, next), STAGE.last);
  scope.tap('onEvent', (event) => {
    history.take(event);
    hasCalled = minutes.take(event) || hasCalled;
    if (!UNSEEN.test(event.type)) live.changed();
  });
  scope.onStart(async () => {
    log.start();
    await open(scope.config.aggregator.admin);
    void countFormer();
  });
  scope.onReload(async ({ aggregator: { admin: next } }) => {
    const before = bound;
    if (before !== undefined && isDeepStrictEqual(before, next)) return;
    await close();
    try {
      await open(next);
    } catch (error) {
      // The change is refused: the pages stay where they were.
      if (before !== undefined) await open(before);
      throw error;
    }
  });
  scope.onStop(() => {
    log.stop();
    return close();
  });
}

function placeOf(bound: ListenerConfig, port: number): AdminAddress {
  const { bindAddress, signIn } = bound;
  return { bindAddress, port, ...(signIn && { baseUrl: originOf(bound) }) };
}

/** The address of the pages as browsers send it: in lower case, and with a port only if it is not that of the scheme. */
function originOf(bound: ListenerConfig | undefined): string {
  return bound === undefined ? '' : new URL(bound.baseUrl).origin;
}
