import { isObject } from 'pegboard';
import type { JsonObject, Progress } from 'pegboard';
import { writeNotification } from '../message/codec.ts';

/** Sends the progress of one request to its client. */
export interface ToldProgress {
  readonly tell: (update: Progress) => void;
  /** The request is answered: no more progress is sent. */
  readonly end: () => void;
}

/** Sends progress under the client's own token, rising, and only while the request is open (MCP, Progress).
 *  @returns undefined if the client has not asked for progress */
export function progressFor(params: JsonObject, send: (json: string) => void): ToldProgress | undefined {
  const meta = params['_meta'];
  const progressToken = isObject(meta) ? meta['progressToken'] : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  let last = -Infinity;
  return {
    tell: (update) => {
      if (!(update.progress > last)) return;
      last = update.progress;
      send(writeNotification('notifications/progress', { progressToken, ...update }));
    },
    end: () => void (last = Infinity),
  };
}
