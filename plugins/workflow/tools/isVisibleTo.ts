import type { InboundRequest } from 'pegboard';
import { ownerOf } from '../../kit/authority/ownerOf.ts';
import type { ExecutionSummary } from '../records/executionRecord.ts';
import type { ToolParts } from './toolParts.ts';

/** Whether a request may list a run and read its values. */
export function isVisibleTo(
  request: InboundRequest,
  { owner }: Pick<ExecutionSummary, 'owner'>,
  { config }: Pick<ToolParts, 'config'>,
): boolean {
  return config().executionVisibility === 'all' || owner === ownerOf(request);
}
