import type { Invocation, JsonObject } from 'pegboard';
import { ARGUMENTS, argumentsFor } from '../arguments/argumentsFor.ts';
import type { ArgumentSources } from '../arguments/readToolArguments.ts';
import { optionsOf } from '../commonOptions.ts';
import { Gateway } from '../gateway.ts';
import { printResult } from '../output/printResult.ts';
import { shownText, unshielded } from '../../kit/text/shownText.ts';
import { verb } from '../verb.ts';
import { wholeResult } from '../wholeResult.ts';

interface Own extends ArgumentSources {
  readonly idempotencyKey?: string;
}

export const call = verb({
  name: 'call',
  summary: 'call a tool and print its result',
  parameters: [{ name: '<tool>', description: 'exact name; see: pegboard search' }, ARGUMENTS.parameter],
  takesAnyFlag: true,
  options: [
    ...ARGUMENTS.options,
    { flags: '--save <dir>', description: 'write images, sounds and files of the result there' },
    { flags: '--idempotency-key <key>', description: 'the gateway runs calls with one key only once' },
  ],
  examples: [
    'pegboard call x_git_git_status --repo_path .',
    `pegboard call x_github_create_issue --json '{"title": "Broken"}' --body @report.md`,
  ],
  run: (invocation) =>
    Gateway.connected(invocation, async (gateway) => {
      const [name = '', ...words] = invocation.args;
      const own = optionsOf<Own>(invocation);
      const args = await argumentsFor(gateway, name, { ...own, words }, invocation);
      const meta: JsonObject | undefined =
        own.idempotencyKey === undefined ? undefined : { 'pegboard.dev/idempotency-key': own.idempotencyKey };
      const progress = progressIn(invocation);
      const result = await gateway.call(name, args, {
        ...(progress && { progress: progress.show }),
        ...(meta && { meta }),
      });
      progress?.end();
      return printResult(invocation, await wholeResult(gateway, result));
    }),
});

/** Shows progress in one line of a terminal; undefined where it would only disturb. */
function progressIn(invocation: Invocation): { show: (words: string) => void; end: () => void } | undefined {
  const terminal = unshielded(invocation.terminal);
  if (!terminal.hasColour || optionsOf(invocation).quiet === true) return undefined;
  let isShown = false;
  return {
    show: (words) => {
      isShown = true;
      terminal.err(`\r\u001b[K${shownText(words.replaceAll(/\s+/g, ' ')).slice(0, terminal.columns - 1)}`);
    },
    end: () => {
      if (isShown) terminal.err('\r\u001b[K');
    },
  };
}
