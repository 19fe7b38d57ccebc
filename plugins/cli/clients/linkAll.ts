import { Failure } from '../failure.ts';
import type { ImportRecord } from './importRecord.ts';
import { linkFile } from './linkClients.ts';
import type { PlannedLink } from './linkClients.ts';

/** Links each file that can be linked. @returns the faults of the others */
export async function linkAll(
  links: readonly PlannedLink[],
  record: ImportRecord,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const one of links)
    await linkFile(one, record).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      faults.push(error.message);
    });
  return faults;
}
