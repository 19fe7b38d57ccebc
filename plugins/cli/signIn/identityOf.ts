import { plainText } from 'pegboard';
import { claimsOf } from '../../kit/oauth/claimsOf.ts';

/** The person of an id_token: e-mail address, else name, else subject. */
export function identityOf(idToken: string | undefined): string | undefined {
  const { email, preferred_username: name, sub } = claimsOf(idToken ?? '');
  const found = [email, name, sub].find((one) => typeof one === 'string');
  return found === undefined ? undefined : plainText(found);
}
