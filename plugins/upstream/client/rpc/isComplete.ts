import type { JsonObject } from 'pegboard';
import { rawMember } from '../../../kit/text/rawJson.ts';
import { isTask } from './isTask.ts';

const MEMBER = '"resultType"';

/** Whether a result is final, not a step towards one or a task; results of the legacy era do not say it. Searches the text first,
 *  which costs far less than parsing it: tasks of all revisions have an id. */
export function isComplete(result: string): boolean {
  if (result.includes('"taskId"') && isTask(JSON.parse(result) as JsonObject)) return false;
  const at = result.indexOf(MEMBER);
  if (at < 0) return true;
  const isOnly = result.indexOf(MEMBER, at + MEMBER.length) < 0;
  if (isOnly && result.startsWith(':"complete"', at + MEMBER.length)) return true;
  const type = rawMember(result, 'resultType');
  return type === undefined || JSON.parse(type) === 'complete';
}
