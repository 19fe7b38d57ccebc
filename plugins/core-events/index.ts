import { ConfigControl, STAGE, definePlugin, readSchema } from 'pegboard';
import { Vault } from '../vault-file/contract.ts';
import { Archive } from './archive.ts';
import type { EventsConfig } from './config.ts';
import { EntryReader } from './entryReader.ts';
import { eventsTool } from './eventsTool.ts';
import { Followers } from './followers.ts';
import { Ring } from './ring.ts';

/** Records events about servers and workflows, for `core_events`. */
export const plugin = definePlugin<EventsConfig>({
  name: 'core-events',
  api: 1,
  configSchema: readSchema('config/core-events'),
  requires: [ConfigControl],
  uses: [Vault],
  apply(scope) {
    let current = scope.config;
    let vault: Vault | undefined;
    const config = (): EventsConfig => current;
    const ring = new Ring(() => current.ringEntries);
    const archive = new Archive({ config, vault: () => vault, log: scope.log });
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
    const followers = new Followers(config);
    scope.addTool(eventsTool({ ring, archive, followers }));
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
    scope.onReload((next) => {
      current = next;
      archive.retime();
    });
    scope.onStop(() => archive.settle());
  },
});
