import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { asText } from '../output/print.ts';
import { currentTokens } from './currentTokens.ts';

/** `pegboard auth token`: the only output that shows a token. @throws Failure (exit code 2: not signed in) */
export async function printToken(invocation: Invocation): Promise<number> {
  const { access_token, token_type, expiry } = await currentTokens(invocation);
  const { output } = optionsOf(invocation);
  if (output === 'json' || output === 'yaml')
    invocation.terminal.out(asText({ access_token, token_type, expires_at: expiry }, output));
  else invocation.terminal.out(`${access_token}\n`);
  return 0;
}
