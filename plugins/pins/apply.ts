import { ConfigControl, DecisionLayer, STAGE, ToolTable, isOffer, waitAtMost } from 'pegboard';
import type { EventType, JsonObject, KernelEvent, Scope, Verdict } from 'pegboard';
import { AdminPage } from '../contracts/adminPages.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { AcceptedDeclarations, ServerDeclarations } from '../contracts/pins.ts';
import { Channel } from '../contracts/processes.ts';
import { Vault } from '../contracts/vault.ts';
import { Turns } from '../kit/limits/turns.ts';
import { AcceptedOffers, isDeclared } from './acceptedOffers.ts';
import type { PinsConfig } from './config.ts';
import { LAYER, judgedTool } from './judgedTool.ts';
import { Matters } from './matters.ts';
import { PinBook } from './pinBook.ts';
import { pinTools } from './pinTools.ts';
import { pinsPage } from './pinsPage.ts';
import { Suspects } from './suspects.ts';

const TOPIC = 'pins';
/** The start does not wait longer for the vault, which a former process may hold. */
const READ_MS = 2_000;
const RETRY_MS = 5_000;
const LOOKED_AT: ReadonlySet<string> = new Set<EventType>([
  'server.connected',
  'server.promptsChanged',
  'server.resourcesChanged',
  'server.resourceTemplatesChanged',
]);

export function apply(scope: Scope<PinsConfig>): void {
  let current = scope.config;
  let retrying: NodeJS.Timeout | undefined;
  const turns = new Turns();
  const inSlices = <T>(all: readonly T[], look: (one: T) => void): Promise<void> =>
    lookedAt(all, look, { turns, signal: scope.signal });
  const renew = (server: string): void => {
    offers.renew(server);
    scope.emit({ type: 'pin.renewed', server });
    // At once, and not when a client asks for them.
    void inSlices(matters.toolsOf(server), (name) => void scope.find(ToolTable)?.shared(name));
  };
  const book = new PinBook({
    config: () => current,
    log: scope.log,
    turns,
    vault: () => scope.find(Vault),
    renewed: renew,
    written: (server) => scope.find(Channel)?.publish(TOPIC, { server }),
  });
  const matters: Matters = new Matters(scope, book, () => current);
  const offers = new AcceptedOffers((sight) => matters.judge(sight));
  const suspects = new Suspects(scope, inSlices);
  /** Verdicts on declarations that are not as accepted, by the declaration: taps that rename a tool keep it. */
  const verdicts = new WeakMap<JsonObject, Verdict>();

  // Before any tap that changes what a server has declared.
  scope.tap(
    'onToolRegister',
    (tool) => {
      if (tool.kind !== 'tool') return tool;
      return judgedTool(
        tool,
        (one) => matters.judgeTool(one),
        (declared, verdict) => void verdicts.set(declared, verdict),
      );
    },
    STAGE.first,
  );
  scope.provide(DecisionLayer, {
    layer: LAYER,
    order: 25,
    judge: (_, item) => {
      if (item === undefined) return undefined;
      if (isOffer(item)) return isDeclared(item) ? offers.verdictOn(item) : undefined;
      return item.declared && verdicts.get(item.declared);
    },
    // A declaration that is judged otherwise is another object.
    basis: () => '',
  });
  scope.provide(MetricSource, {
    metrics: [
      {
        name: 'pegboard.pins.pending',
        kind: 'gauge',
        unit: '{declaration}',
        description: 'Declarations of a server that are not as accepted.',
        read: () => [...matters.counted()].map(([server, value]) => ({ value, labels: { server } })),
      },
      {
        name: 'pegboard.pins.changes',
        kind: 'counter',
        unit: '{declaration}',
        description: 'Declarations that were found to be not as accepted, by server and kind.',
        read: () => matters.counts.samples(),
      },
    ],
  });
  scope.provide(AcceptedDeclarations, offers);
  for (const tool of pinTools(matters, suspects)) scope.addTool(tool);
  scope.provide(AdminPage, pinsPage(matters, suspects));

  const definitions = (): void => matters.define(scope.get(ConfigControl).resources('MCPServer'));
  scope.tap('onConfigApply', async ({ added, changed, removed }) => {
    const isServer = ({ kind }: { readonly kind: string }): boolean => kind === 'MCPServer';
    definitions();
    for (const { name } of [...added, ...changed].filter(isServer)) renew(name);
    for (const { name } of removed.filter(isServer)) {
      matters.forget(name);
      suspects.forget(name);
      const followers = matters.followersOf(name);
      await book.forget(name);
      followers.forEach(renew);
    }
  });
  scope.tap('onEvent', (event) => {
    if (event.type === 'server.toolsChanged') lookAt(event);
    if (LOOKED_AT.has(event.type)) lookAtOffers();
  });
  let isLooking = false;
  /** All of them: what a server lists no more may be offered by another one now. Those that were judged cost little. */
  const lookAtOffers = (): void => {
    if (isLooking) return;
    isLooking = true;
    setImmediate(() => {
      isLooking = false;
      suspects.offersChanged();
      const all = scope.find(ServerDeclarations)?.offers() ?? [];
      void inSlices(all, (offer) => void offers.judgementOn(offer));
    });
  };
  /** A first sight is when a server lists a tool, not when a client asks for it. */
  const lookAt = ({ server, added, changed, removed }: KernelEvent<'server.toolsChanged'>): void => {
    suspects.gone(server, removed);
    suspects.listed(server, [...changed, ...added]);
    // A name that one server has given up may be that of another now.
    void inSlices([...changed, ...added, ...removed], (name) => void scope.find(ToolTable)?.shared(name));
  };
  scope.each(Channel, (channel) => {
    const reread = (server: string): void => void book.reread(server);
    return channel.subscribe(TOPIC, {
      message: ({ server }) => reread(String(server)),
      // Of servers of which nothing waits as well: something may have been refused.
      gap: () => book.servers.forEach(reread),
      emptied: () => void book.writeBack(),
    });
  });

  const read = async (): Promise<void> => {
    const wasRead = book.isRead;
    if (!(await book.read()) || wasRead) return;
    matters.servers.forEach(renew);
  };
  scope.onStart(async () => {
    definitions();
    const vault = scope.find(Vault);
    if (vault === undefined || vault.isLasting === false)
      scope.log.info(
        'what servers declare is pinned for as long as this process runs: the vault does not last',
      );
    await waitAtMost(READ_MS, read());
    retrying = setInterval(() => {
      if (!book.isRead) void read();
      if (book.isBehind) void book.flush();
    }, RETRY_MS);
    retrying.unref();
  });
  scope.onReload((next) => {
    const servers = new Set([
      ...matters.servers,
      ...scope
        .get(ConfigControl)
        .resources('MCPServer')
        .map(({ name }) => name),
    ]);
    current = next;
    servers.forEach(renew);
  });
  scope.onStop(() => {
    clearInterval(retrying);
    suspects.stop();
    return book.flush();
  });
}

/** Looks at all of them, in as many turns of the event loop as it takes: others get theirs. */
async function lookedAt<T>(
  all: readonly T[],
  look: (one: T) => void,
  { turns, signal }: { readonly turns: Turns; readonly signal: AbortSignal },
): Promise<void> {
  await turns.next();
  for (const one of all) {
    while (turns.isDue) await turns.next();
    if (signal.aborted) return;
    look(one);
  }
}
