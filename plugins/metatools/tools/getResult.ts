import { GatewayError, isObject, jsonResult, jsonText, resultOf } from 'pegboard';
import type { CallResult, JsonObject, Scope, Tool } from 'pegboard';
import { optionalText, refuseLonger, requiredText, wholeNumber } from './arguments.ts';
import type { MetatoolsConfig } from '../config.ts';
import { metaTool } from './metaTool.ts';
import type { ResultStore } from '../results/resultStore.ts';
import { parseJsonPath } from '../results/parseJsonPath.ts';
import { selectFrom } from '../results/selectFrom.ts';
import { lineCount, lineRange, sliceText } from '../results/textPage.ts';

export function getResult(scope: Scope<MetatoolsConfig>, store: ResultStore): Tool {
  const { pageChars } = scope.config;
  return metaTool({
    name: 'get_result',
    description:
      'Read on in a result that was too large and was answered by its head and a handle: by page, characters, lines or JSONPath.',
    properties: {
      handle: { type: 'string', description: 'From the shortened result' },
      select: {
        type: 'string',
        description: 'JSONPath: $.items[0].name, items[*].id, $..id, items[?@.open==true]',
      },
      page: { type: 'number', minimum: 1, description: 'Page of limit characters, from 1' },
      offset: { type: 'number', minimum: 0, default: 0, description: 'Characters to skip' },
      limit: { type: 'number', minimum: 1, default: pageChars, description: 'Characters per page' },
      lines: { type: 'string', description: 'Lines, from 1: 10-40' },
    },
    required: ['handle'],
    run: async (args, { request }) => {
      const handle = requiredText(args, 'handle');
      refuseLonger(args, ['select'], scope.config.maxQueryChars);
      const select = optionalText(args, 'select');
      const path = select === undefined ? undefined : parseJsonPath(select, scope.config.maxSelectNesting);
      const view = await store.get(handle, request);
      if (view === undefined) throw gone(handle);
      if (select === undefined || path === undefined) return textPage(view.text, args, scope.config);
      const selected = selectFrom(view.root, path, scope.config.maxSelected);
      if (isMedia(selected)) return resultOf({ content: [selected] });
      return textPage(textOf(selected, select), args, scope.config);
    },
  });
}

/** @throws GatewayError TOOL_ARGUMENTS for what is nested deeper than can be written */
function textOf(selected: unknown, select: string): string {
  if (typeof selected === 'string') return selected;
  const text = jsonText(selected, 2);
  if (text !== undefined) return text;
  const fix = 'select a part of it, or leave select out and read the text by pages';
  throw new GatewayError(
    'TOOL_ARGUMENTS',
    `what ${select} selects is nested too deeply to be written; ${fix}`,
  );
}

interface Range {
  readonly offset: number;
  readonly limit: number;
}

/** First where the page stands, then the page itself, unescaped. */
function textPage(text: string, args: JsonObject, config: MetatoolsConfig): CallResult {
  const { offset, limit } = rangeOf(text, args, config);
  const shown = sliceText(text, offset, Math.min(limit, config.maxPageChars));
  const end = offset + shown.length;
  const truncated = end < text.length;
  const place = {
    offset,
    chars: shown.length,
    total_chars: text.length,
    total_lines: lineCount(text),
    truncated,
    ...(truncated && { next_offset: end }),
  };
  const { content } = jsonResult(place).value();
  return resultOf({ content: [...content, { type: 'text', text: shown }] });
}

/** @throws GatewayError TOOL_ARGUMENTS for lines that are not there */
function rangeOf(text: string, args: JsonObject, config: MetatoolsConfig): Range {
  const limit = wholeNumber(args, 'limit', { least: 1, fallback: config.pageChars });
  const offset = wholeNumber(args, 'offset', { least: 0, fallback: 0 });
  const asked = optionalText(args, 'lines');
  if (asked === undefined) {
    const number = wholeNumber(args, 'page', { least: 1, fallback: 1 });
    return { offset: offset + (number - 1) * Math.min(limit, config.maxPageChars), limit };
  }
  const [, first, last = first] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(asked) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (!(range.first >= 1 && range.last >= range.first))
    throw new GatewayError('TOOL_ARGUMENTS', `lines ${JSON.stringify(asked)} is no range; write 10 or 10-40`);
  const found = lineRange(text, range);
  if (found === undefined)
    throw new GatewayError(
      'TOOL_ARGUMENTS',
      `there is no line ${range.first}; the text has ${lineCount(text)}`,
    );
  return { offset: found.start, limit: Math.max(found.end - found.start, 1) };
}

/** Images and sounds are answered as what they are, not as base64 in a text. */
function isMedia(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    (value['type'] === 'image' || value['type'] === 'audio') &&
    typeof value['data'] === 'string'
  );
}

function gone(handle: string): GatewayError {
  const text = `no stored result ${handle}: it has expired, or another session made it; call the tool again`;
  return new GatewayError('TOOL_RESULT_GONE', text);
}
