import type { Gateway } from '../gateway.ts';
import type { DoctorFinding } from './doctorFinding.ts';

/** How much of the catalogue the endpoint, --toolset or the caller's toolset lets through.
 *  @param narrow as it was asked for @param wide without --toolset and preset @throws Failure */
export async function toolsetFinding(narrow: Gateway, wide: Gateway): Promise<DoctorFinding> {
  const subject = 'toolset';
  const { total, toolset } = await narrow.read('list_tools', { limit: 1 });
  if (toolset === undefined) return { level: 'ok', subject, message: `none; ${String(total)} tools` };
  const { total: all } = await wide.read('list_tools', { limit: 1 });
  const names = (toolset as readonly string[]).join(', ');
  const message = `${names} shows ${String(total)} of ${String(all)} tools`;
  if (total !== 0) return { level: 'ok', subject, message };
  return { level: 'warning', subject, message, fix: 'pegboard list presets' };
}
