import { GatewayError, messageOf } from 'pegboard';
import { keysFor } from '../secrets/keysFor.ts';
import type { KeyRing } from '../../contracts/vault.ts';

/** The keys that seal a vault's values. @param given as for keysFor @throws GatewayError CONFIG_UNREADABLE if their file cannot be used */
export function vaultKeys(stateDirectory: string | undefined, given?: KeyRing): KeyRing {
  try {
    return keysFor('vault', stateDirectory, given);
  } catch (error) {
    const fix = 'restore it from a backup; without it nothing in the vault can be read';
    throw new GatewayError('CONFIG_UNREADABLE', `${messageOf(error)}; ${fix}`, { cause: error });
  }
}
