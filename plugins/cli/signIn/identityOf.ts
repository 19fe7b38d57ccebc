import { claimsOf } from './claimsOf.ts';

/** The person of an id_token: e-mail address, else name, else subject. */
export function identityOf(idToken: string | undefined): string | undefined {
  const { email, preferred_username: name, sub } = claimsOf(idToken ?? '');
  return [email, name, sub].find((one): one is string => typeof one === 'string');
}
