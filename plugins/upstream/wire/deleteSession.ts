import type { Pool } from 'undici';
import { Exchange, dispatch } from './exchange.ts';
import type { SocketFlow } from './socketFlow.ts';

const MAX_ANSWER_BYTES = 65_536;

export interface DeleteParts {
  readonly path: string;
  readonly headers: string[];
  readonly flow: SocketFlow;
  readonly timeoutMs: number;
}

/** Ends a session at its server. Resolves when the server has answered, or after the time-out. */
export function deleteSession(pool: Pool, { path, headers, flow, timeoutMs }: DeleteParts): Promise<void> {
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
    dispatch(pool, { method: 'DELETE', path, headers }, new Exchange<undefined>(owner, undefined));
  });
}

function idle(): void {
  // Nothing to do.
}
