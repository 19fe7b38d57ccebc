import { resolve } from 'node:path';
import { messageOf } from 'pegboard';
import type { ReviewFacts, ReviewFinding } from 'pegboard';
import type { AuditConfig } from './config.ts';
import { loadSigningKeys } from './signingKeys.ts';
import { verifyTrail } from './verifyTrail.ts';

/** Findings of `pegboard check`: faults of the trail with file and line. It cannot know where the trail should end. */
export async function trailFindings({
  config,
  directory,
}: ReviewFacts<AuditConfig>): Promise<readonly ReviewFinding[]> {
  const path = resolve(directory, config.directory);
  try {
    const keys = await loadSigningKeys(config, directory);
    const { checkpointLines } = config;
    const { verification } = await verifyTrail(path, { keys, checkpointLines });
    return verification.faults.map(({ file, line, what, detail }) => ({
      path: ['directory'],
      message: `audit trail ${file}:${line}: ${what}: ${detail}`,
    }));
  } catch (error) {
    return [{ path: [], message: messageOf(error) }];
  }
}
