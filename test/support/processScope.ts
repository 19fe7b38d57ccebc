import type { Capability, Scope } from '../../kernel/index.ts';
import { Peers } from '../../plugins/contracts/processes.ts';
import { Vault } from '../../plugins/contracts/vault.ts';

/** A scope of one of the processes over a vault, for what needs no more than that. */
export function processScope(vault: Vault, peers: Peers): Scope<unknown> {
  const values = new Map<string, unknown>([
    [Vault.id, vault],
    [Peers.id, peers],
  ]);
  const get = ({ id }: Capability<unknown>): unknown => values.get(id);
  return { get, find: get, each: () => undefined } as unknown as Scope<unknown>;
}
