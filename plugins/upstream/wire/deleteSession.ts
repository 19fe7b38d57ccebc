import type { Pool } from 'undici';
import { Exchange } from './exchange.ts';
import type { Route } from './httpRequest.ts';
import type { SocketFlow } from './socketFlow.ts';

const MAX_ANSWER_BYTES = 65_536;

export interface DeleteParts {
  readonly to: Route;
  readonly headers: string[];
  readonly flow: SocketFlow;
  readonly timeoutMs: number;
}

/** Ends a session at its server. Resolves when the server has answered, or after the time-out. */
export function deleteSession(pool: Pool, { to, headers, flow, timeoutMs }: DeleteParts): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const owner = {
      maxMessageBytes: MAX_ANSWER_BYTES,
      maxEventIdBytes: 0,
      flow,
      begun: idle,
      head: idle,
      event: () => 0,
      answered: end,
      streamEnded: end,
      broken: end,
    };
    new Exchange<undefined>(owner, undefined).send(pool, { method: 'DELETE', to, headers });
  });
}

function idle(): void {
  // Nothing to do.
}
