import { VERSION } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { asText } from '../output/print.ts';
import { verb } from '../verb.ts';

export const version = verb({
  name: 'version',
  summary: 'versions of this program and of the running gateway',
  options: [{ flags: '--client', description: 'only of this program' }],
  examples: ['pegboard version', 'pegboard version --client -o json'],
  run: async (invocation) => {
    const { client, output } = optionsOf<{ client?: boolean }>(invocation);
    const gateway = client === true ? undefined : await versionOfGateway(invocation);
    const versions = { client: VERSION, ...(gateway !== undefined && { gateway }) };
    if (output === 'json' || output === 'yaml') invocation.terminal.out(asText(versions, output));
    else
      invocation.terminal.out(`pegboard ${VERSION}\n${gateway === undefined ? '' : `gateway  ${gateway}\n`}`);
    return 0;
  },
});

/** Undefined if none answers: the program has a version anyway. */
async function versionOfGateway(
  invocation: Parameters<typeof Gateway.apart>[0],
): Promise<string | undefined> {
  try {
    return await Gateway.apart(invocation, ({ client }) =>
      Promise.resolve(client.getServerVersion()?.version),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (optionsOf(invocation).quiet !== true) invocation.terminal.err(`pegboard: ${error.message}\n`);
    return undefined;
  }
}
