import type { Invocation } from 'pegboard';
import { claimsOf } from '../../kit/oauth/claimsOf.ts';
import { Failure } from '../failure.ts';
import { progressTo } from '../progressTo.ts';
import type { Hints } from './authorization.ts';
import { inTime } from './inTime.ts';
import { openBrowser } from './openBrowser.ts';
import type { GatewaySignIn } from './prepareSignIn.ts';
import { TokenFile } from './tokenFile.ts';

const LIMIT_MS = 15_000;

/** Signs in without a question to the person who signed in last, if the browser still knows them at the identity provider.
 *  @returns whether it succeeded: any failure only means that the person has to be asked @throws Failure at Ctrl-C */
export async function silently(
  invocation: Invocation,
  endpoint: string,
  signIn: Pick<GatewaySignIn, 'begin'>,
  limitMs = LIMIT_MS,
): Promise<boolean> {
  const stored = await new TokenFile(invocation.directory, endpoint).read();
  if (stored?.id_token === undefined) return false;
  try {
    const { url, done } = await signIn.begin(hintsOf(stored.id_token));
    if (!(await openBrowser(url, invocation.env))) return false;
    await inTime(done, limitMs, invocation.cancel);
    return true;
  } catch (error) {
    if (!(error instanceof Failure) || invocation.cancel.reason !== undefined) throw error;
    progressTo(invocation)(`not possible without a question (${error.message})`);
    return false;
  }
}

/** Source: https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest */
function hintsOf(idToken: string): Hints {
  const { email, preferred_username: name } = claimsOf(idToken);
  const hint = email ?? name;
  return {
    prompt: 'none',
    id_token_hint: idToken,
    login_hint: typeof hint === 'string' ? hint : undefined,
  };
}
