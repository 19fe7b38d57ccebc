import { GatewayError, isObject, jsonResult, resultOf } from 'pegboard';
import type { CallResult, JsonObject, Scope, Tool } from 'pegboard';
import { optionalText, requiredText, wholeNumber } from './arguments.ts';
import type { MetatoolsConfig } from './config.ts';
import { metaTool } from './metaTool.ts';
import type { ResultStore } from './resultStore.ts';
import { selectFrom } from './select.ts';
import { viewOf } from './stored.ts';
import { sliceText } from './textPage.ts';

export function getResult(scope: Scope<MetatoolsConfig>, store: ResultStore): Tool {
  const { pageChars } = scope.config;
  return metaTool({
    name: 'get_result',
    description:
      'Read on in a result that was too large and was answered by its head and a handle; or take a part of it by select.',
    properties: {
      handle: { type: 'string', description: 'From the shortened result' },
      select: { type: 'string', description: 'Part of the data: items[0].name, items[*].id' },
      offset: { type: 'number', minimum: 0, default: 0, description: 'Characters to skip' },
      limit: { type: 'number', minimum: 1, default: pageChars, description: 'Characters per page' },
    },
    required: ['handle'],
    run: (args, { request }) => {
      const handle = requiredText(args, 'handle');
      const json = store.get(handle, request);
      if (json === undefined) throw gone(handle);
      const { text, root } = viewOf(json);
      const select = optionalText(args, 'select');
      if (select === undefined) return page(text, args, scope.config);
      const selected = selectFrom(root, select);
      if (isMedia(selected)) return resultOf({ content: [selected] });
      return page(
        typeof selected === 'string' ? selected : JSON.stringify(selected, null, 2),
        args,
        scope.config,
      );
    },
  });
}

/** First where the page stands, then the page itself, unescaped. */
function page(text: string, args: JsonObject, config: MetatoolsConfig): CallResult {
  const offset = wholeNumber(args, 'offset', { least: 0, fallback: 0 });
  const asked = wholeNumber(args, 'limit', { least: 1, fallback: config.pageChars });
  const shown = sliceText(text, offset, Math.min(asked, config.maxPageChars));
  const end = offset + shown.length;
  const truncated = end < text.length;
  const place = {
    offset,
    chars: shown.length,
    total_chars: text.length,
    truncated,
    ...(truncated && { next_offset: end }),
  };
  const { content } = jsonResult(place).value();
  return resultOf({ content: [...content, { type: 'text', text: shown }] });
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
