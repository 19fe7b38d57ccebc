import type { Caller, JsonObject } from 'pegboard';
import type { Person, SignIn } from './signIn.ts';

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

/** The caller of a sign-in. @param scope of the access token */
export function callerOfSignIn(signIn: SignIn, scope = signIn.scope): Caller {
  return callerOf(signIn.person, { scope, client_id: signIn.clientId, sid: signIn.id });
}
