import type { Scope } from 'pegboard';
import { Channel } from '../../contracts/processes.ts';
import type { Connection } from '../connection/connection.ts';

const TOPIC = 'upstream.begin';

/** A start or restart that a caller asked one process for, for those that have the same definitions and servers of their own. */
interface Begin {
  readonly server: string;
  /** When the restart was requested; absent for a start. */
  readonly restartRequestedAt?: string;
}

/** Lets the other processes of this gateway do what was done to a server here; a stop reaches them by its definition. */
export function beginElsewhere(scope: Scope<unknown>, begin: Begin): void {
  scope.find(Channel)?.publish(TOPIC, { ...begin });
}

/** Does here what another process was asked for. Called in apply() only. */
export function followOthers(
  scope: Scope<unknown>,
  connectionOf: (server: string) => Connection | undefined,
): void {
  const message = (told: unknown): void => {
    const { server, restartRequestedAt } = told as Begin;
    const connection = connectionOf(server);
    // Where the start has changed the definition, that one begins it.
    if (connection === undefined || connection.definition.suspended) return;
    const begun =
      restartRequestedAt === undefined ? connection.start() : connection.restart(restartRequestedAt);
    begun.catch((error: unknown) => {
      scope.log.warn('a server that was started at another process does not start here', { server, error });
    });
  };
  scope.each(Channel, (channel) => channel.subscribe(TOPIC, { message }));
}
