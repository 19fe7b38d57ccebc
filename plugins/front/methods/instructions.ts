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
  /** Its operator's description: any length, any characters. */
  readonly description: string | undefined;
  /** What it says about itself: any length, any characters. */
  readonly words: string;
}

const HOW =
  'One endpoint for many MCP servers, whose tools are not in tools/list. Two turns reach one: ' +
  'filter_tools {"query":"what you want to do"} finds it, with its inputSchema and the call when confident; ' +
  'call_tool {"name":"...","arguments":{...}} runs it. Use describe_tool {"name":"..."} only if the schema was not given.';

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
  const parts = servers.map(partsOf);
  const names = parts.map(({ name }) => name);
  if (sizeOf(names) > room) return [head, ...bounded(names, room)].join('\n');
  const width = widthFor(parts, { room, maxWidth: maxServerInstructionChars });
  return [head, ...parts.map((line) => lineOf(line, width))].join('\n');
}

/** The parts of a server's line. */
interface Parts {
  /** The server's name, with its state if it is away. */
  readonly name: string;
  readonly text: string;
  /** Whether the text is the server's own, which is shown as a quotation. */
  readonly isQuoted: boolean;
  /** Length with the whole text. */
  readonly length: number;
}
const OWN = [' says "', '"'] as const;
const GIVEN = [': ', ''] as const;

function partsOf({ name, away, description, words }: ListedServer): Parts {
  const isQuoted = description === undefined;
  const [text, marks] = isQuoted ? [words, OWN] : [description, GIVEN];
  const head = away === undefined ? `- ${name}` : `- ${name} (${away})`;
  return { name: head, text, isQuoted, length: head.length + marks.join('').length + text.length };
}

/** The width to which all lines fit, by their lengths alone: texts may be long, and are cut once. */
function widthFor(
  parts: readonly Parts[],
  { room, maxWidth }: { readonly room: number; readonly maxWidth: number },
): number {
  const sizeAt = (width: number): number =>
    parts.reduce((sum, { name, length }) => sum + Math.max(name.length, Math.min(length, width)) + 1, 0);
  let [fitting, end] = [0, maxWidth + 1];
  while (end - fitting > 1) {
    const width = Math.floor((fitting + end) / 2);
    if (sizeAt(width) > room) end = width;
    else fitting = width;
  }
  return fitting;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length + 1, 0);
}

function bounded(lines: readonly string[], maxChars: number): readonly string[] {
  let chars = MORE_CHARS;
  const end = lines.findIndex(({ length }) => (chars += length + 1) > maxChars);
  return [...lines.slice(0, end), `and ${lines.length - end} more`];
}

function lineOf({ name, text, isQuoted }: Parts, width: number): string {
  const [before, after] = isQuoted ? OWN : GIVEN;
  const room = width - name.length - before.length - after.length;
  if (room < MIN_WORDS_CHARS) return name;
  const shown = inUnits(text, room);
  if (shown === '') return name;
  return `${name}${before}${isQuoted ? shown.replaceAll('"', "'") : shown}${after}`;
}

/** The beginning of a text in so many UTF-16 units, of which a character may take two. */
function inUnits(text: string, max: number): string {
  for (let chars = max; ;) {
    const shown = oneLine(text, chars);
    if (shown.length <= max) return shown;
    chars -= Math.ceil((shown.length - max) / 2);
  }
}
