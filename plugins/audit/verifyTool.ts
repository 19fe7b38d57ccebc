import { NO_ARGUMENTS, READING, structuredResult } from 'pegboard';
import type { Tool } from 'pegboard';
import type { Keeper } from './keeper.ts';

export function verifyTool(keeper: Keeper): Tool {
  return {
    name: 'core_audit_verify',
    kind: 'core',
    description:
      'Verify the audit trail: reads every line and names what was changed, is missing, stands out of order or is signed badly',
    inputSchema: NO_ARGUMENTS,
    annotations: READING,
    async invoke() {
      return structuredResult(await keeper.verify());
    },
  };
}
