import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import type { PlannedServer } from './planImport.ts';
import { leftKeys } from './report.ts';

/** The entries in whose place Pegboard may go: those that were taken over whole, and with --lossy the others.
 *  The notes name those that stay, one line each. */
export function wholeEntries(
  servers: readonly PlannedServer[],
  isLossy = false,
): { readonly whole: readonly ClientEntry[]; readonly notes: readonly string[] } {
  const all = servers.flatMap((server) => server.entries.map((entry) => ({ server, entry })));
  const lossy = isLossy ? [] : all.filter(({ server, entry }) => leftKeys(server, entry) !== '');
  return {
    whole: all.filter((one) => !lossy.includes(one)).map(({ entry }) => entry),
    notes: lossy.map(({ server, entry }) => {
      const where = `${entry.name} stays in ${entry.place.path}`;
      return `${where}, because ${leftKeys(server, entry)} would be lost; to take it out nevertheless: --lossy`;
    }),
  };
}
