import { oneLine } from '../../kit/text/serverWords.ts';

export interface InstructionLimits {
  readonly maxInstructionChars: number;
  readonly maxServerInstructionChars: number;
}
/** A server as clients are told about it. */
export interface ListedServer {
  readonly name: string;
  /** Why its tools cannot be called now. */
  readonly away: string | undefined;
  /** Its operator's description. */
  readonly description: string | undefined;
  /** What it says about itself. */
  readonly words: string;
}

const HOW =
  'One endpoint for many MCP servers, whose tools are not in tools/list. Two turns reach one: ' +
  'filter_tools {"query":"what you want to do"} finds it, with its inputSchema and the call when confident; ' +
  'call_tool {"name":"...","arguments":{...}} runs it. Use describe_tool {"name":"..."} only if the schema was not given.';

/** How much shorter the lines become at a time if not all of them fit. */
const STEP = 5;
/** Shorter descriptions say nothing. */
const MIN_WORDS_CHARS = 8;
/** Room for the number of servers that are not named. */
const MORE_CHARS = 16;

/** The `instructions` of initialize, for an agent that was never configured for Pegboard: how to find and call a tool, and a line
 *  for each server. The lines are shortened before servers are left out. */
export function instructions(servers: readonly ListedServer[], limits: InstructionLimits): string {
  const { maxInstructionChars, maxServerInstructionChars } = limits;
  if (servers.length === 0) return HOW;
  const head = `${HOW} Servers:`;
  const room = maxInstructionChars - head.length;
  const linesOf = (width: number): readonly string[] => servers.map((server) => lineOf(server, width));
  const names = linesOf(0);
  if (sizeOf(names) > room) return [head, ...bounded(names, room)].join('\n');
  let lines = linesOf(maxServerInstructionChars);
  for (let width = maxServerInstructionChars; sizeOf(lines) > room; width -= STEP) lines = linesOf(width);
  return [head, ...lines].join('\n');
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length + 1, 0);
}

function bounded(lines: readonly string[], maxChars: number): readonly string[] {
  let chars = MORE_CHARS;
  const end = lines.findIndex(({ length }) => (chars += length + 1) > maxChars);
  return [...lines.slice(0, end), `and ${lines.length - end} more`];
}

/** The line of a server; what it says about itself is a quotation. */
function lineOf({ name, away, description, words }: ListedServer, maxChars: number): string {
  const head = away === undefined ? `- ${name}` : `- ${name} (${away})`;
  const [before, text, after] =
    description === undefined ? [' says "', words.replaceAll('"', "'"), '"'] : [': ', description, ''];
  const room = maxChars - head.length - before.length - after.length;
  const shown = room < MIN_WORDS_CHARS ? '' : oneLine(text, room);
  return shown === '' ? head : `${head}${before}${shown}${after}`;
}
