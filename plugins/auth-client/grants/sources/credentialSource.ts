import type { CallerCredential } from '../../contract.ts';

/** Where one part of a caller's credential for a server comes from. */
export interface CredentialSource extends Omit<CallerCredential, 'owner'> {
  /** Of single sign-on: whether it has failed, or is waited for. */
  readonly progress?: 'failed' | 'pending' | undefined;
  /** Whether it can be used without asking a person. @throws GatewayError STORE_UNREACHABLE */
  isUsable(): Promise<boolean>;
}
