import { join } from 'node:path';
import { GatewayError, loadKeyRing, messageOf, newKeyRing } from 'pegboard';
import type { KeyRing } from 'pegboard';

/** The keys in `<state>/session-keys.json`. Without a state directory the key is valid for this process only.
 *  @throws GatewayError CONFIG_UNREADABLE if the file cannot be used */
export function loadKeys(stateDirectory: string | undefined): KeyRing {
  if (stateDirectory === undefined) return newKeyRing();
  try {
    return loadKeyRing(join(stateDirectory, 'session-keys.json'));
  } catch (error) {
    const fix = 'repair it, or remove it to start with a new key (clients then start over)';
    throw new GatewayError('CONFIG_UNREADABLE', `${messageOf(error)}; ${fix}`, { cause: error });
  }
}
