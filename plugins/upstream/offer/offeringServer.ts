import type { Server } from '../server/server.ts';

/** A server as those see it who read what it lists, or as one owner sees it, to whom it lists something else. */
export type OfferingServer = Pick<
  Server,
  | 'name'
  | 'definition'
  | 'facts'
  | 'listing'
  | 'isStale'
  | 'isWanted'
  | 'callsFor'
  | 'secretsChanged'
  | 'watchFor'
>;
