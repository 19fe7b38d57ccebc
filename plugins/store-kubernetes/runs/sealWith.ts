import type { Log } from 'pegboard';
import type { KeyRing } from '../../contracts/vault.ts';
import { sealBytes, unsealBytes } from '../../kit/secrets/seal.ts';
import { vaultKeys } from '../../kit/vault/vaultKeys.ts';
import type { RunSeal } from './runObject.ts';

/** A seal with the keys that the vault uses. @param shared those of all processes, if a plugin keeps some */
export function sealWith(
  shared: () => KeyRing | undefined,
  stateDirectory: () => string | undefined,
  log: Pick<Log, 'warn'>,
): RunSeal {
  let given: KeyRing | undefined;
  let ring: KeyRing | undefined;
  const keys = (): KeyRing => {
    // At a stop the plugin that keeps them may have ended before the last run.
    const now = shared() ?? given;
    if (ring !== undefined && now === given) return ring;
    const state = stateDirectory();
    ring = vaultKeys(state, now);
    given = now;
    if (now === undefined && state === undefined && (process.env['PEGBOARD_KEYS_FILE'] ?? '') === '')
      log.warn(
        'contents of runs are sealed with keys of this process only: no one can read them after its end',
        {
          fix: 'name a file of keys, the same for all processes, in PEGBOARD_KEYS_FILE',
        },
      );
    return ring;
  };
  // Sealed contents open in the object of their own run only.
  const contextOf = (id: string): Buffer => Buffer.from(`contents of the run ${id}`);
  return {
    seal: (id, text) => sealBytes(keys()[0], contextOf(id), Buffer.from(text)).toString('base64'),
    open: (id, sealed) => {
      const bytes = Buffer.from(sealed, 'base64');
      const [plain] = keys().flatMap((key) => unsealBytes(key, contextOf(id), bytes) ?? []);
      return plain?.toString();
    },
  };
}
