import { ConfigControl, STAGE, definePlugin, readSchema } from 'pegboard';
import { Front } from '../contracts/mcp.ts';
import { Vault } from '../contracts/vault.ts';
import { Channel } from '../contracts/processes.ts';
import { Archive } from './archive.ts';
import type { EventsConfig } from './config.ts';
import { EntryReader } from './entryReader.ts';
import { eventsTool } from './eventsTool.ts';
import { Followers } from './followers.ts';
import { Ring } from './ring.ts';

/** Renewals of a follow within the time that it lasts without one. */
const RENEWALS = 3;

/** Records events about servers and workflows, for `core_events`. */
export const plugin = definePlugin<EventsConfig>({
  name: 'core-events',
  api: 1,
  configSchema: readSchema('config/core-events'),
  requires: [ConfigControl],
  uses: [Vault, Channel, Front],
  apply(scope) {
    let current = scope.config;
    let vault: Vault | undefined;
    const config = (): EventsConfig => current;
    const ring = new Ring(() => current.ringEntries);
    const archive = new Archive(
      config,
      () => vault,
      () => scope.all(Channel).length > 0,
      scope.log,
    );
    const reader = new EntryReader(() => ({
      namespace: scope.get(ConfigControl).settings().namespace,
      maxMessageChars: current.maxMessageChars,
    }));
    // When both stop, the vault is no longer registered, but it stops after this plugin.
    scope.each(Vault, (one) => {
      vault = one;
      return () => {
        if (!scope.signal.aborted) vault = undefined;
      };
    });
    const followers = new Followers(scope);
    scope.addTool(eventsTool(ring, archive, followers));
    scope.tap(
      'onEvent',
      (event) => {
        const entry = reader.read(event);
        if (entry === undefined) return;
        ring.add(entry);
        archive.add(entry);
        followers.tell(entry, Date.now());
      },
      STAGE.last,
    );
    let renewing: NodeJS.Timeout | undefined;
    const renewOften = (): void => {
      clearInterval(renewing);
      renewing = setInterval(() => followers.renew(), followers.graceMs / RENEWALS);
      renewing.unref();
    };
    scope.onStart(renewOften);
    scope.onReload((next) => {
      current = next;
      archive.retime();
      renewOften();
    });
    scope.onStop(() => {
      clearInterval(renewing);
      return archive.settle();
    });
  },
});
