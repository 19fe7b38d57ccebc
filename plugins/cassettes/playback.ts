import { HIDDEN, isObject, jsonText, nearest, textResult } from 'pegboard';
import { globOf } from '../kit/text/glob.ts';
import type { RecordedCall, Recording } from './recording.ts';

const MAX_SHOWN_CHARS = 500;

/** Answers calls with their recorded answers. */
export class Playback {
  readonly #callsByTool: Recording['callsByTool'];
  readonly #played = new Set<RecordedCall>();

  constructor({ callsByTool }: Recording) {
    this.#callsByTool = callsByTool;
  }

  /** Answers of a call that was recorded several times are returned in order, then the last one again. A call that was not
   *  recorded gets an error result. */
  answer(tool: string, args: unknown): Pick<RecordedCall, 'kind' | 'json'> {
    const recorded = this.#callsByTool.get(tool) ?? [];
    const fitting = recorded.filter((call) => isMatch(call.args, args));
    const call = fitting.find((one) => !this.#played.has(one)) ?? fitting.at(-1);
    if (call === undefined) return { kind: 'result', json: notRecorded(tool, args, recorded) };
    this.#played.add(call);
    return call;
  }
}

/** Whether the arguments match the recorded ones; hidden text matches any text. */
function isMatch(recorded: unknown, given: unknown): boolean {
  if (typeof recorded === 'string') return isTextMatch(recorded, given);
  if (Array.isArray(recorded)) {
    const isAsLong = Array.isArray(given) && given.length === recorded.length;
    return isAsLong && recorded.every((item, at) => isMatch(item, given[at]));
  }
  if (!isObject(recorded)) return recorded === given;
  if (!isObject(given)) return false;
  const keys = Object.keys(recorded);
  const isAsLarge = Object.keys(given).length === keys.length;
  return isAsLarge && keys.every((key) => Object.hasOwn(given, key) && isMatch(recorded[key], given[key]));
}

function isTextMatch(recorded: string, given: unknown): boolean {
  // A number is hidden as a whole.
  if (typeof given === 'number') return recorded === HIDDEN;
  if (typeof given !== 'string') return false;
  return recorded.includes(HIDDEN) ? globOf(recorded.split(HIDDEN))(given) : recorded === given;
}

function notRecorded(tool: string, args: unknown, recorded: readonly RecordedCall[]): string {
  const given = jsonText(args) ?? 'arguments that are nested too deeply';
  const known = recorded.map((call) => JSON.stringify(call.args));
  const [close = known[0]] = nearest(given, known, 1);
  const rest =
    close === undefined ? 'no call of this tool is' : `the nearest recorded call has ${cut(close)}`;
  return textResult(`no call of ${tool} with ${cut(given)} is recorded; ${rest}`, true).json;
}

function cut(text: string): string {
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
