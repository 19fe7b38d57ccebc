import type { Connection } from '../server/connection.ts';

/** A server as those see it who read what it lists: the shared connection, or what one owner was listed. */
export type OfferingServer = Pick<
  Connection,
  'name' | 'definition' | 'facts' | 'listing' | 'isStale' | 'isWanted' | 'callsFor' | 'watchFor'
>;
