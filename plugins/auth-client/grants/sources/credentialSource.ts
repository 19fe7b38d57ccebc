import type { CallerCredential } from '../../../contracts/credentials.ts';

/** Where one part of a caller's credential for a server comes from. */
export interface CredentialSource extends Omit<CallerCredential, 'owner'> {
  /** State of single sign-on: it has failed, or is waited for; undefined otherwise. */
  readonly progress?: 'failed' | 'pending' | undefined;
  /** Whether it can be used without asking a person. @throws GatewayError STORE_UNREACHABLE */
  isUsable(): Promise<boolean>;
}
