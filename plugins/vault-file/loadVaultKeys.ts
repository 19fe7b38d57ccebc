import { join } from 'node:path';
import { GatewayError, loadKeyRing, messageOf } from 'pegboard';
import type { KeyRing } from 'pegboard';

/** The keys in `<state>/vault-keys.json`. @throws GatewayError CONFIG_UNREADABLE if the file cannot be used */
export function loadVaultKeys(stateDirectory: string): KeyRing {
  try {
    return loadKeyRing(join(stateDirectory, 'vault-keys.json'));
  } catch (error) {
    const fix = 'restore it from a backup; without it nothing in the vault can be read';
    throw new GatewayError('CONFIG_UNREADABLE', `${messageOf(error)}; ${fix}`, { cause: error });
  }
}
