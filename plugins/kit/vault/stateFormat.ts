import { GatewayError } from 'pegboard';

/** The format of what all plugins keep in a vault. A version whose state an older one would misread raises it, and reads all lower ones. */
export const STATE_FORMAT = 1;

/** Refuses state of a later format, before any of it is read or written.
 *  @param place what holds it, as people name it @throws GatewayError STORE_UNREACHABLE */
export function refuseNewer(place: string, format: number): void {
  if (format <= STATE_FORMAT) return;
  const text = `${place} was written by a newer version of Pegboard, in format ${format}; this one reads ${STATE_FORMAT}`;
  throw new GatewayError(
    'STORE_UNREACHABLE',
    `${text}; start that version, or restore a copy of the state from before it`,
  );
}
