import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { asText } from '../output/print.ts';
import { pauseFor } from '../pauseFor.ts';
import { verb } from '../verb.ts';

/** Time between two questions of --follow. */
const PAUSE_MS = 1_000;
/** Most lines in one answer of core_server_logs. */
const MAX_LINES = 1_000;

interface Own {
  readonly lines: string;
  readonly follow?: boolean;
}

export const logs = verb({
  name: 'logs',
  summary: 'what a stdio server writes on standard error',
  parameters: [{ name: '<server>', description: 'name of the server' }],
  options: [
    { flags: '-f, --follow', description: 'go on with later lines until Ctrl-C' },
    { flags: '-n, --lines <number>', description: 'how many, from the newest', default: '100' },
  ],
  examples: ['pegboard logs git', 'pegboard logs git -n 20 -f'],
  run: (invocation) => Gateway.connected(invocation, (gateway) => show(invocation, gateway)),
});

async function show(invocation: Invocation, gateway: Gateway): Promise<number> {
  const { args, cancel, terminal } = invocation;
  const [server = ''] = args;
  const { lines, follow = false, output, quiet } = optionsOf<Own>(invocation);
  if (!(/^[1-9]\d{0,3}$/.test(lines) && Number(lines) <= MAX_LINES))
    throw new Failure(`--lines must be a number from 1 to ${MAX_LINES}, not ${lines}`);
  const read = (query: JsonObject): Promise<JsonObject> =>
    gateway.readCore('core_server_logs', { server, ...query });
  let answer = await read({ lines: Number(lines) });
  const past = linesIn(answer);
  if (!follow && (output === 'json' || output === 'yaml')) {
    terminal.out(asText(past, output));
    return 0;
  }
  for (const line of past) terminal.out(lineOf(line, output));
  if (past.length === 0 && quiet !== true) terminal.err(noneText(answer));
  if (!follow) return 0;
  for (;;) {
    const after = answer['next'];
    await pauseFor(PAUSE_MS, cancel);
    if (cancel.reason !== undefined) return 0;
    answer = await read({ lines: MAX_LINES, ...(typeof after === 'string' && { after }) });
    const missed = answer['missed'];
    if (typeof missed === 'number' && quiet !== true)
      terminal.err(`${missed} lines were not kept long enough\n`);
    for (const line of linesIn(answer)) terminal.out(lineOf(line, output));
  }
}

function linesIn({ lines }: JsonObject): readonly JsonObject[] {
  return Array.isArray(lines) ? lines.filter((line) => isObject(line)) : [];
}

/** One line of the log; one JSON object for programs. */
function lineOf(line: JsonObject, output: string): string {
  if (output === 'json') return `${JSON.stringify(line)}\n`;
  if (output === 'yaml') return `---\n${asText(line, 'yaml')}`;
  const { time, text, started } = line;
  return `${String(time)}  ${started === true ? '(a process was started)' : String(text)}\n`;
}

function noneText({ instance }: JsonObject): string {
  return `No lines found${typeof instance === 'string' ? ` (${instance})` : ''}\n`;
}
