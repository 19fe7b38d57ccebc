import { validateArguments } from 'pegboard';
import type { JsonObject, JsonSchema } from 'pegboard';
import { shownTo } from './entryReader.ts';
import { NOTICE_KINDS } from '../kit/notices/noticeOf.ts';
import type { EventEntry, ReaderKey } from './entryReader.ts';
import { hasFields } from './followers.ts';
import { readTime } from '../kit/text/readTime.ts';

const TIME = 'A duration such as 1h30m (that long ago), a time in RFC 3339, or 2026-01-31 [12:00:00] in UTC.';

export const EVENTS_ARGUMENTS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    resourceType: { description: 'Only events of this kind of thing.', type: 'string', enum: NOTICE_KINDS },
    resourceName: { description: 'Only events of the one of this name.', type: 'string' },
    namespace: { description: 'Only events of this namespace.', type: 'string' },
    eventType: {
      description: 'Only events of this weight.',
      type: 'string',
      enum: ['Normal', 'Warning'],
    },
    reason: { description: 'Only events of this reason, for example MCPServerFailed.', type: 'string' },
    since: { description: `Only events from then on. ${TIME}`, type: 'string' },
    until: { description: `Only events up to then. ${TIME}`, type: 'string' },
    limit: {
      description: 'How many events to return.',
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 50,
    },
    offset: { description: 'How many to skip, from the newest.', type: 'integer', minimum: 0, default: 0 },
    follow: {
      description:
        'Also tell this session of later events, as notifications/service/event; time, limit and offset do not narrow those.',
      type: 'boolean',
      default: false,
    },
  },
};

export interface EventQuery {
  readonly matches: (entry: EventEntry) => boolean;
  /** What a matching entry has, whatever its time. */
  readonly fields: JsonObject;
  readonly follow: boolean;
  /** ms since the epoch; older events never match */
  readonly since: number;
  readonly limit: number;
  readonly offset: number;
}

/** Ignores empty texts. @throws GatewayError TOOL_ARGUMENTS */
export function readQuery(args: JsonObject, now: number): EventQuery {
  const given = Object.entries(args).filter(([, value]) => value !== '' && value !== null);
  const checked = validateArguments(
    EVENTS_ARGUMENTS,
    Object.fromEntries(given),
    'core_events',
  ) as unknown as Checked;
  const { resourceType, resourceName, namespace, eventType, reason, limit, offset, follow } = checked;
  const since = checked.since === undefined ? -Infinity : readTime('since', checked.since, now);
  const until = checked.until === undefined ? Infinity : readTime('until', checked.until, now);
  const fields: JsonObject = {
    ...(resourceType !== undefined && { resource_type: resourceType }),
    ...(resourceName !== undefined && { resource_name: resourceName }),
    ...(namespace !== undefined && { namespace }),
    ...(eventType !== undefined && { type: eventType }),
    ...(reason !== undefined && { reason }),
  };
  const matches = (entry: EventEntry): boolean => {
    const ms = Date.parse(entry.timestamp);
    return ms >= since && ms <= until && hasFields(entry, fields);
  };
  return { matches, fields, since, limit, offset, follow };
}

interface Checked {
  readonly resourceType?: string;
  readonly resourceName?: string;
  readonly namespace?: string;
  readonly eventType?: string;
  readonly reason?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly offset: number;
  readonly follow: boolean;
}

export interface EventPage extends JsonObject {
  readonly events: readonly EventEntry[];
  /** Number of all matching events, not of those on this page. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly has_more: boolean;
}

/** @param entries newest first */
export async function pageOf(
  entries: AsyncIterable<EventEntry>,
  query: EventQuery,
  reader: ReaderKey,
): Promise<EventPage> {
  const { matches, since, limit, offset } = query;
  const events: EventEntry[] = [];
  let total = 0;
  for await (const entry of entries) {
    if (Date.parse(entry.timestamp) < since) break;
    const shown = matches(entry) ? shownTo(reader, entry) : undefined;
    if (shown === undefined) continue;
    if (total >= offset && events.length < limit) events.push(shown);
    total += 1;
  }
  return { events, total, limit, offset, has_more: offset + events.length < total };
}
