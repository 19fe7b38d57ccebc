import type { Caller, JsonObject } from 'pegboard';
import type { Person } from './signIn.ts';

/** `request.caller` of a person. @param more claims about how they signed in */
export function callerOf(
  { subject, issuer, email, emailVerified, name, groups }: Person,
  more: JsonObject,
): Caller {
  return {
    subject,
    issuer,
    claims: {
      ...(email !== undefined && { email }),
      ...(emailVerified !== undefined && { email_verified: emailVerified }),
      ...(name !== undefined && { name }),
      groups,
      ...more,
    },
  };
}
