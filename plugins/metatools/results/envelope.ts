import { isGatewayError, isObject, rawResult, resultOf } from 'pegboard';
import type { CallResult, ClientMeta, Log, ToolResult } from 'pegboard';
import { internalErrorText } from '../../kit/calls/internalErrorText.ts';
import { REMEDY_KEY, remedyOf } from '../../kit/faults/remedy.ts';
import { rawMember, splitArray, withRawMeta } from '../../kit/text/rawJson.ts';
import { traceIdOf } from '../../kit/calls/traceIdOf.ts';

/** Wraps a result as compact JSON in one text item, for older clients (decision D6). Source: requirement call.envelope. */
export function enveloped(result: CallResult): CallResult {
  const { isError = false, structuredContent, content } = result.value();
  // `content` may be missing or of any type.
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  const failed = JSON.stringify(isError);
  const texts = rawContent(result.json).map((raw, at) => withoutBytes(items[at]) ?? raw);
  const structure =
    (structuredContent ?? null) === null ? undefined : rawMember(result.json, 'structuredContent');
  const inner = `"isError":${failed},"content":[${texts.join()}]`;
  const outer = structure === undefined ? '' : `,"structuredContent":${structure}`;
  const text = JSON.stringify({ type: 'text', text: `{${inner}${outer}}` });
  return rawResult(`{"content":[${text}],"isError":${failed}${outer}}`);
}

/** Envelopes a failure of the call itself. Internal errors are only logged, with an id that is also shown.
 *  @param meta of the call: `_meta` of the result has its trace, for the operator, and what helps, for programs */
export function envelopedError(error: unknown, log: Log, meta: ClientMeta | undefined): CallResult {
  const trace = traceIdOf(meta);
  const isShown = isGatewayError(error) && error.expose;
  const why = isShown ? error.message : internalErrorText('call failed', error, log, trace);
  const content = [{ type: 'text', text: `Tool execution failed: ${why}` }];
  const result: ToolResult = { content, isError: true };
  const shown = enveloped(resultOf(result));
  const remedy = isShown ? remedyOf(error) : undefined;
  const told = {
    ...(trace !== undefined && { 'pegboard.dev/error': { trace } }),
    ...(remedy !== undefined && { [REMEDY_KEY]: remedy }),
  };
  return Object.entries(told).reduce(
    (result, [key, value]) => rawResult(withRawMeta(result.json, key, JSON.stringify(value))),
    shown,
  );
}

function rawContent(json: string): readonly string[] {
  const content = rawMember(json, 'content');
  return content?.startsWith('[') === true ? splitArray(content) : [];
}

/** @returns undefined for items that are not changed */
function withoutBytes(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const { type, data, mimeType } = item;
  if ((type !== 'image' && type !== 'audio') || typeof data !== 'string') return undefined;
  return JSON.stringify({ type, mimeType, dataSize: data.length });
}
