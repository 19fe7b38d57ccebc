import { many, one } from 'pegboard';
import type { Call, Finding, JsonObject } from 'pegboard';

/** Returns the text with secrets replaced by HIDDEN. */
export type Hide = (text: string) => string;

/** A confidential value and its name: that of a variable, a header or a parameter. */
export interface Secret {
  readonly name: string;
  readonly text: string;
}

/** What tools write, and what holds now. */
export interface Write {
  readonly next: JsonObject;
  /** The references in it may stay where they are; empty if they would go elsewhere, to another address or program. */
  readonly stored: JsonObject;
}

/** Which references a definition may get through tools; provided by the plugin `references`. */
export interface References {
  /** The references that only a file or custom resource may have, each with the place and the fix. */
  refusedIn(write: Write): readonly Finding[];
}
export const References = one<References>('references');

/** Secrets of the platform on which Pegboard runs. */
export interface SecretSource {
  /** Read anew each time, so that a secret can be replaced. @returns the values of the keys, in their order
   *  @throws GatewayError STORE_FORBIDDEN with the missing right, STORE_NOT_FOUND with the missing secret or key, STORE_UNREACHABLE */
  read(secret: SecretName, keys: readonly string[], options?: SecretReading): Promise<readonly string[]>;
}
export interface SecretReading {
  /** Nothing is held up by it: it may wait for what is more urgent. */
  readonly isPatient?: boolean;
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

/** The label that the store gives a definition of a further namespace, whatever its writer wrote: the namespace of its secrets. */
export const NAMESPACE_LABEL = 'pegboard.dev/namespace';

/** A key of a secret in a text of a definition; captures the names of both. */
export const SECRET_REFERENCE = /\$\{secret:([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)\/([\w.-]{1,253})\}/g;

/** Hides secrets that belong to calls: values of sensitive arguments, credentials of callers. */
export interface CallSecrets {
  /** Hides those of `call` and its parents; undefined if there are none. */
  hiderFor(call: Pick<Call, 'tool' | 'request' | 'parent'>): Hide | undefined;
}
export const CallSecrets = many<CallSecrets>('call-secrets');
