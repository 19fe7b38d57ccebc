import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { asText } from '../output/print.ts';
import { endpointOf } from '../endpointOf.ts';
import { currentTokens } from './currentTokens.ts';
import { localToken } from './localToken.ts';

/** `pegboard auth token`: the only output that shows a token. @throws Failure (exit code 2: not signed in) */
export async function printToken(invocation: Invocation): Promise<number> {
  const local = await localToken(invocation, await endpointOf(invocation));
  const { access_token, token_type, expiry } =
    local === undefined
      ? await currentTokens(invocation)
      : { access_token: local, token_type: 'Bearer', expiry: undefined };
  const { output } = optionsOf(invocation);
  if (output === 'json' || output === 'yaml')
    invocation.terminal.out(
      asText({ access_token, token_type, ...(expiry !== undefined && { expires_at: expiry }) }, output),
    );
  else invocation.terminal.out(`${access_token}\n`);
  return 0;
}
