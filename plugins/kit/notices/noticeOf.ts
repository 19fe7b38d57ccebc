import type { JsonObject, KernelEvent } from 'pegboard';
import type { Notice } from '../../contracts/notices.ts';

/** The field of an event that names its subject → the subject's kind. */
const KIND_BY_FIELD = { server: 'MCPServer', workflow: 'Workflow' } as const;
export const NOTICE_KINDS: readonly string[] = Object.values(KIND_BY_FIELD);
/** Fields of an event that say what it is about. */
export const SUBJECTS: readonly string[] = Object.keys(KIND_BY_FIELD);

/** An event for operators, with the definition that it is about. */
export interface NoticeFacts extends Notice {
  readonly kind: string;
  readonly name: string;
}

/** @returns undefined for an event without reason, message or subject, which is not for operators */
export function noticeOf(event: KernelEvent): NoticeFacts | undefined {
  // Checked first, because every call emits an event.
  if (!isNotice(event)) return undefined;
  const { reason, message, severity, owner } = event;
  const fields: JsonObject = { ...event };
  for (const [field, kind] of Object.entries(KIND_BY_FIELD)) {
    const name = fields[field];
    if (typeof name === 'string')
      return { kind, name, reason, message, severity: severity === 'Warning' ? 'Warning' : 'Normal', owner };
  }
  return undefined;
}

function isNotice(event: KernelEvent): event is KernelEvent & Notice {
  return (
    'reason' in event &&
    'message' in event &&
    typeof event.reason === 'string' &&
    typeof event.message === 'string'
  );
}
