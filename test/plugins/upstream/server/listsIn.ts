import type { Log } from '../../../../kernel/index.ts';
import { NOTHING_LISTED } from '../../../../plugins/upstream/client/conversation/listing.ts';
import { readDefinition } from '../../../../plugins/upstream/definition.ts';
import { KeptLists } from '../../../../plugins/upstream/own/keptLists.ts';
import { OwnLists } from '../../../../plugins/upstream/own/ownLists.ts';
import { OpeningVault } from '../../../../plugins/vault-file/openingVault.ts';

const CONFIG = {
  maxEntries: 10_000,
  maxBytes: 1e9,
  maxValueBytes: 1e6,
  maxPendingBytes: 1e8,
  maxBatchBytes: 20_000,
  compactGarbageBytes: 60_000,
  sweepMs: 60_000,
  lockWaitMs: 5000,
  lockPollMs: 10,
  lockStaleMs: 30_000,
};

/** What is kept for the callers of a server in the file vault of a state directory. */
export async function listsIn(state: string, log: Log) {
  const vault = new OpeningVault(
    () => state,
    () => CONFIG,
    log,
  );
  await vault.begin();
  const lists = new OwnLists();
  const url = 'https://a.test/mcp';
  const definition = readDefinition({ type: 'streamable-http', url, env: {}, headers: {} });
  const kept = new KeptLists({ vault: () => vault, log }, { name: 'a', definition }, lists);
  return {
    close: () => vault.close(),
    /** @param name of the one tool that is listed for the owner */
    keep: async (owner: string, name: string): Promise<void> => {
      lists.set(owner, { ...NOTHING_LISTED, tools: [{ name, inputSchema: {} }] }, undefined);
      const list = lists.of(owner);
      if (list !== undefined) await kept.keep(owner, list);
    },
    namesFor: async (owner: string): Promise<readonly string[] | undefined> =>
      (await kept.read(owner))?.listing.tools.map((tool) => String((tool as { name?: unknown }).name)),
  };
}
