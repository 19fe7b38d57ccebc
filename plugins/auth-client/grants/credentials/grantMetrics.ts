import { Tally } from '../../../kit/metrics/tally.ts';
import type { MetricSource } from '../../../contracts/metrics.ts';
import type { GuardedServer } from '../../../contracts/credentials.ts';
import { grantFacts } from '../record/grantFacts.ts';
import type { Grants } from '../store/grants.ts';
import { grantPlaceOf } from '../record/grantPlaceOf.ts';

/** Sign-ins of callers at servers.
 *  @param refreshes requests for new tokens, by cause of the failure */
export function grantMetrics(
  grants: Pick<Grants, 'known'>,
  refreshes: Pick<Tally, 'samples'>,
  server: (name: string) => GuardedServer | undefined,
): MetricSource {
  const byState = (): Tally => {
    const counted = new Tally();
    const now = Date.now();
    for (const { record, server: name } of grants.known()) {
      const its = record === undefined ? undefined : server(name);
      if (its !== undefined)
        counted.add({ server: name, state: grantFacts(record, grantPlaceOf(its), now).state });
    }
    return counted;
  };
  return {
    metrics: [
      {
        name: 'pegboard.grants',
        kind: 'gauge',
        unit: '{grant}',
        description: 'Sign-ins of callers seen at this process, by server and state.',
        read: () => byState().samples(),
      },
      {
        name: 'pegboard.grant.refreshes',
        kind: 'counter',
        unit: '{refresh}',
        description: 'Requests for new tokens, by cause of the failure; none: they came.',
        read: () => refreshes.samples(),
      },
    ],
  };
}
