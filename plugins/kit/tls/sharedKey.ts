import type { PSKCallbackNegotation, SecureContextOptions } from 'node:tls';
import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';

/** Both ends prove that they have the key, and each connection has secrets of its own: who reads traffic and gets the key later can
 *  decrypt nothing. Source: RFC 8442, RFC 7905 */
const SUITE: SecureContextOptions = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
};
const IDENTITY = 'gateway';
/** Bytes of such a key. */
export const SHARED_KEY_BYTES = 32;

/** TLS by a key that both ends have, in place of certificates. @param key 32 bytes */
export interface SharedKeyClient {
  readonly secureContext: () => SecureContext;
  readonly pskCallback: () => PSKCallbackNegotation;
}
export function sharedKeyClient(key: Buffer): SharedKeyClient {
  const context = createSecureContext(SUITE);
  return { secureContext: () => context, pskCallback: () => ({ identity: IDENTITY, psk: key }) };
}

/** Options of an https server that only those reach who have the key. */
export function sharedKeyServer(key: Buffer): SecureContextOptions & {
  readonly pskCallback: (socket: unknown, identity: string) => NodeJS.ArrayBufferView | null;
} {
  return { ...SUITE, pskCallback: (_, identity) => (identity === IDENTITY ? key : null) };
}
