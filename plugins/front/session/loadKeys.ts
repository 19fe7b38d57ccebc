import { GatewayError, messageOf } from 'pegboard';
import { keysFor } from '../../kit/secrets/keysFor.ts';
import type { KeyRing } from '../../contracts/vault.ts';

/** The keys that seal session handles. @param given as for keysFor @throws GatewayError CONFIG_UNREADABLE if their file cannot be used */
export function loadKeys(stateDirectory: string | undefined, given?: KeyRing): KeyRing {
  try {
    return keysFor('session', stateDirectory, given);
  } catch (error) {
    const fix = 'repair it, or remove it to start with a new key (clients then start over)';
    throw new GatewayError('CONFIG_UNREADABLE', `${messageOf(error)}; ${fix}`, { cause: error });
  }
}
