import { rawMember } from 'pegboard';

/** Whether a result is final, not a step towards one; results of the legacy era say nothing of it. Searches the text, which
 *  costs less than parsing it. */
export function isComplete(result: string): boolean {
  if (!result.includes('"resultType"')) return true;
  if (result.includes('"resultType":"complete"') && !result.includes('"input_required"')) return true;
  const type = rawMember(result, 'resultType');
  return type === undefined || type === '"complete"';
}
