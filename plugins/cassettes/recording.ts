import { readFileSync } from 'node:fs';
import { isObject, messageOf } from 'pegboard';
import { jsonIn } from '../kit/text/jsonIn.ts';
import { rawMember } from '../kit/text/rawJson.ts';

export interface RecordedCall {
  readonly args: unknown;
  readonly kind: 'result' | 'error';
  /** The recorded JSON text. */
  readonly json: string;
}
/** The content of a cassette. */
export interface Recording {
  readonly server: string;
  /** JSON text of the last declared list of tools. */
  readonly tools: string;
  /** Keyed by the server's own tool names, in the order of recording. */
  readonly callsByTool: ReadonlyMap<string, readonly RecordedCall[]>;
  /** Place of an incomplete last line. */
  readonly cutOff: string | undefined;
}

/** The file is missing or not a cassette; the message has file and line. */
export class CassetteFault extends Error {}

/** @throws CassetteFault */
export function readRecording(file: string): Recording {
  const lines = textOf(file).split('\n');
  const last = lines.length - 1;
  const callsByTool = new Map<string, RecordedCall[]>();
  let head: Head | undefined;
  let cutOff: string | undefined;
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const place = `${file}:${at + 1}`;
    const value = jsonIn(line);
    if (value === undefined && at === last && head !== undefined) {
      cutOff = place;
      continue;
    }
    if (!isObject(value))
      throw new CassetteFault(`${place}: is not a JSON object; record the cassette again`);
    if ('cassette' in value) head = headIn(value, line, place);
    else if (head === undefined) throw new CassetteFault(`${place}: a cassette begins with {"cassette":1,…}`);
    else {
      const { tool, ...call } = callIn(value, line, place);
      const calls = callsByTool.get(tool);
      if (calls === undefined) callsByTool.set(tool, [call]);
      else calls.push(call);
    }
  }
  if (head === undefined) throw new CassetteFault(`${file}: is empty; record a call first`);
  return { ...head, callsByTool, cutOff };
}

type Head = Pick<Recording, 'server' | 'tools'>;
type Line = Readonly<Record<string, unknown>>;

function headIn({ cassette, server, tools }: Line, line: string, place: string): Head {
  if (cassette !== 1) {
    const version = JSON.stringify(cassette);
    throw new CassetteFault(`${place}: is of version ${version}, and only version 1 can be replayed`);
  }
  const isHead = typeof server === 'string' && Array.isArray(tools);
  if (!isHead) throw new CassetteFault(`${place}: needs server, a string, and tools, an array`);
  return { server, tools: rawMember(line, 'tools') ?? '[]' };
}

function callIn(value: Line, line: string, place: string): RecordedCall & { readonly tool: string } {
  const { tool, arguments: args } = value;
  const kind = isObject(value['result']) ? 'result' : 'error';
  if (typeof tool !== 'string' || !isObject(args) || !isObject(value[kind]))
    throw new CassetteFault(`${place}: a call needs tool, arguments, and result or error`);
  return { tool, args, kind, json: rawMember(line, kind) ?? '{}' };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CassetteFault(`${file}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
