import type { Invocation } from 'pegboard';
import { Gateway } from '../gateway.ts';
import { openTransport } from '../openTransport.ts';
import { headersFor } from '../signIn/localToken.ts';
import { withTrial } from './withTrial.ts';

/** Serves a configuration directory beside the running gateway, while `use` asks it. @throws Failure */
export function withTrialGateway<T>(
  directory: string,
  invocation: Invocation,
  use: (gateway: Gateway) => Promise<T>,
): Promise<T> {
  return withTrial(directory, invocation.cancel, async (endpoint, state) => {
    const headers = await headersFor(state);
    const options = { ...invocation.options, endpoint };
    return Gateway.apart({ ...invocation, options }, use, (asked, at) =>
      openTransport(asked, at, {}, headers),
    );
  });
}
