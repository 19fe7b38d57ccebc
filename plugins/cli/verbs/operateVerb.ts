import type { Command, CommandOption, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure, SIGN_IN_NEEDED } from '../failure.ts';
import { Gateway, failureText, textOf } from '../gateway.ts';
import { printObject } from '../output/print.ts';
import { verb } from '../verb.ts';

/** The gateway itself, as a service. */
const GATEWAY = 'mcp-aggregator';
const YES: CommandOption = { flags: '--yes', description: `stop ${GATEWAY}, the gateway's own endpoint` };

export const start = operateVerb('start', 'start a server; one that was stopped stays started');
export const stop = operateVerb('stop', 'stop a server until it is started again; its tools disappear');
export const restart = operateVerb('restart', 'stop a server and start it again');

/** A verb that starts, stops or restarts a service, and prints the state that it reached. */
function operateVerb(operation: 'start' | 'stop' | 'restart', summary: string): Command {
  return verb({
    name: operation,
    summary,
    parameters: [{ name: '<server>', description: 'name of the server or service' }],
    ...(operation === 'stop' && { options: [YES] }),
    examples: [`pegboard ${operation} git`, `pegboard ${operation} git -o json`],
    run: (invocation) =>
      Gateway.connected(invocation, async (gateway) => {
        const [name = ''] = invocation.args;
        const { yes, output } = optionsOf<{ readonly yes?: boolean }>(invocation);
        if (operation === 'stop' && name === GATEWAY && yes !== true)
          throw new Failure(
            `no client can connect when ${GATEWAY} is stopped; if that is intended: pegboard stop ${GATEWAY} --yes`,
          );
        const args: JsonObject = { name, ...(yes === true && { confirm: true }) };
        const answer = await gateway.call(`core_service_${operation}`, args);
        if (answer.isError === true) {
          const text = textOf(answer);
          throw new Failure(
            failureText(answer),
            /requires (OAuth )?authentication/.test(text) ? SIGN_IN_NEEDED : 1,
          );
        }
        const record = JSON.parse(textOf(answer)) as JsonObject;
        if (output === 'table' || output === 'wide')
          invocation.terminal.out(`${String(record['message'])}\n`);
        else printObject(invocation, record, name);
        return 0;
      }),
  });
}
