import { coreTool, structuredResult } from 'pegboard';
import type { Tool } from 'pegboard';
import type { Keeper } from './keeper.ts';

export function verifyTool(keeper: Keeper): Tool {
  return coreTool({
    name: 'core_audit_verify',
    authority: 'operate',
    description:
      'Verify the audit trail: reads every line and names what was changed, is missing, stands out of order or is signed badly',
    run: async () => structuredResult(await keeper.verify()),
  });
}
