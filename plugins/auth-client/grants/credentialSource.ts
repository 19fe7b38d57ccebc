import type { GatewayError } from 'pegboard';
import type { CredentialRefusal } from '../contract.ts';

/** Where one part of a caller's credential for a server comes from. */
export interface CredentialSource {
  /** The same object until they change: it is compared with each request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
  /** To hide in texts. */
  readonly secrets: readonly string[];
  /** See CallerCredential. @throws GatewayError */
  prepare(): Promise<void> | undefined;
  /** See CallerCredential. */
  refused(refusal: CredentialRefusal): Promise<boolean>;
  readonly fault: GatewayError;
  /** See CallerCredential. */
  readonly missing: GatewayError | undefined;
  /** Of single sign-on: whether it has failed, or is waited for. */
  readonly progress?: 'failed' | 'pending' | undefined;
  /** Whether it can be used without asking a person. @throws GatewayError STORE_UNREACHABLE */
  isUsable(): Promise<boolean>;
}
