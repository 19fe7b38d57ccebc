import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

const REFUSED = 'ERR_CLIENT_CERTIFICATE_REFUSED';

/** A server that wants another client certificate says so after the handshake, if at all, when the first request has been sent: without
 *  this it would look like a connection that broke while the request ran. @param socket before anyone else listens to it */
export function watchForRefusal(socket: Socket, hasCertificate: boolean): void {
  if (!isAsked(socket)) return;
  const ended = (): void => void socket.destroy(asRefusal(new Error(), hasCertificate));
  const failed = (error: Error): void => void asRefusal(error, hasCertificate);
  const answered = (): void => {
    if (socket.readableLength === 0) return;
    socket.off('end', ended).off('error', failed).off('readable', answered);
  };
  socket.on('end', ended).on('error', failed).on('readable', answered);
}

/** Whether the server has asked for a client certificate: only then it says which signatures it takes. Source: RFC 8446 §4.3.2 */
export function isAsked(socket: unknown): boolean {
  // Null after its end.
  const taken = socket instanceof TLSSocket ? (socket.getSharedSigalgs() as string[] | null) : null;
  return taken !== null && taken.length > 0;
}

/** The same error, which others may have already, with words for people. */
export function asRefusal(error: Error, hasCertificate: boolean): Error {
  const [, alert = ''] = /\balert ([a-z ]+)/.exec(error.message) ?? [];
  const said = alert === '' ? 'closed the connection' : `said "${alert}"`;
  const fix = hasCertificate
    ? 'it does not accept the one in tls.cert of its definition'
    : 'name its file in tls.cert of its definition, and that of its key in tls.key';
  const message = `the server asked for a client certificate and ${said}; ${fix}`;
  return Object.assign(error, { message, code: REFUSED, library: undefined });
}

/** Whether no request can have run: the server ended the connection for want of a certificate. */
export function isRefusal(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === REFUSED;
}
