import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { readArguments } from '../arguments/readArguments.ts';
import type { ArgumentSources } from '../arguments/readArguments.ts';
import { optionsOf } from '../commonOptions.ts';
import { Gateway } from '../gateway.ts';
import { printResult } from '../output/printResult.ts';
import { verb } from '../verb.ts';
import { wholeResult } from '../wholeResult.ts';

interface Own extends ArgumentSources {
  readonly idempotencyKey?: string;
}

export const call = verb({
  name: 'call',
  summary: 'call a tool and print its result',
  parameters: [
    { name: '<tool>', description: 'exact name; see: pegboard search' },
    { name: '[arguments...]', description: '--name value, --name @file, --switch: typed by the tool' },
  ],
  takesAnyFlag: true,
  options: [
    { flags: '--json <object>', description: 'arguments as a JSON object' },
    { flags: '--file <file>', description: 'arguments from a JSON or YAML file; - is standard input' },
    { flags: '--save <dir>', description: 'write images, sounds and files of the result there' },
    { flags: '--idempotency-key <key>', description: 'the gateway runs calls with one key only once' },
  ],
  examples: [
    'pegboard call x_git_git_status --repo_path .',
    `pegboard call x_github_create_issue --json '{"title": "Broken"}' --body @report.md`,
  ],
  run: (invocation) =>
    Gateway.with(invocation, async (gateway) => {
      const [name = '', ...words] = invocation.args;
      const own = optionsOf<Own>(invocation);
      const { inputSchema } = await gateway.read('describe_tool', { name });
      const args = await readArguments(words, isObject(inputSchema) ? inputSchema : {}, own, invocation);
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
  const { terminal } = invocation;
  if (!terminal.hasColour || optionsOf(invocation).quiet === true) return undefined;
  let isShown = false;
  return {
    show: (words) => {
      isShown = true;
      terminal.err(`\r\u001b[K${words.slice(0, terminal.columns - 1)}`);
    },
    end: () => {
      if (isShown) terminal.err('\r\u001b[K');
    },
  };
}
