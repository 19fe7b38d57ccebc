import { one } from 'pegboard';
import type { NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the sign-in of the caller is not for the API server */
    STORE_AUDIENCE: NoDetails;
  }
}

/** Secrets of the platform on which Pegboard runs. */
export interface SecretSource {
  /** Read anew each time, so that a secret can be replaced. @returns the values of the keys, in their order
   *  @throws GatewayError STORE_FORBIDDEN with the missing right, STORE_NOT_FOUND with the missing secret or key, STORE_UNREACHABLE */
  read(secret: SecretName, keys: readonly string[]): Promise<readonly string[]>;
}
export interface SecretName {
  readonly name: string;
  /** Absent: that of the definitions. */
  readonly namespace?: string;
}
/** The secret that holds the credentials of an OAuth client. */
export interface ClientSecretRef extends SecretName {
  readonly clientIdKey: string;
  readonly clientSecretKey: string;
}
export const SecretSource = one<SecretSource>('secret-source');

/** A key of a secret in a text of a definition; captures the names of both. */
export const SECRET_REFERENCE = /\$\{secret:([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)\/([\w.-]{1,253})\}/g;
