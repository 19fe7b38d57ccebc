import { GatewayError, jsonResult, rawResult, resultOf } from 'pegboard';
import type { CallResult, JsonObject, Scope, Tool } from 'pegboard';
import { sharerOf } from '../../kit/authority/ownerOf.ts';
import type { Turns } from '../../kit/limits/turns.ts';
import { largePages } from './clientHints.ts';
import { optionalText, refuseLonger, requiredText, wholeNumber } from './arguments.ts';
import type { MetatoolsConfig } from '../config.ts';
import { metaTool } from './metaTool.ts';
import { WorkerFault } from '../results/inWorker.ts';
import type { InWorker } from '../results/inWorker.ts';
import { PART_CHARS } from '../results/resultHandle.ts';
import type { ResultStore, StoredResult } from '../results/resultStore.ts';
import type { Selected } from '../results/select.ts';
import { TextPage, sumOf } from '../results/textPage.ts';
import type { AskedText, Counted, Shown } from '../results/textPage.ts';

export function getResult(
  scope: Scope<MetatoolsConfig>,
  store: ResultStore,
  turns: Turns,
  worker: InWorker,
): Tool {
  const { pageChars } = scope.config;
  return metaTool({
    name: 'get_result',
    description:
      'Read on in a result that was too large and answered by its head and a handle: by page, characters, lines or JSONPath.',
    properties: {
      handle: { type: 'string', description: 'From that result' },
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
    listed: () => largePages(scope.config),
    run: async (args, { request }) => {
      const { config } = scope;
      const handle = requiredText(args, 'handle');
      refuseLonger(args, ['select'], config.maxQueryChars);
      const select = optionalText(args, 'select');
      const asked = askedOf(args, config);
      const stored = await store.get(handle, request);
      if (select === undefined || (!stored.hasData && ['', '$'].includes(select.trim())))
        return storedPage(stored, asked, turns);
      const job = { run: 'select', path: select, asked } as const;
      const share = { ms: config.workerMs, sharer: sharerOf(request) };
      const selected = stored.withData((parts) => worker.run<Selected>(job, parts, share));
      return answerOfSelected(await selected.catch(refused), asked);
    },
  });
}

/** @throws GatewayError TOOL_ARGUMENTS for an invalid range */
function askedOf(args: JsonObject, { pageChars, maxPageChars }: MetatoolsConfig): AskedText {
  const limit = Math.min(wholeNumber(args, 'limit', { least: 1, fallback: pageChars }), maxPageChars);
  const offset = wholeNumber(args, 'offset', { least: 0, fallback: 0 });
  const lines = optionalText(args, 'lines');
  if (lines === undefined) {
    const number = wholeNumber(args, 'page', { least: 1, fallback: 1 });
    return { offset: offset + (number - 1) * limit, limit };
  }
  const [, first, last = first] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(lines) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (range.first >= 1 && range.last >= range.first) return { offset: 0, limit: maxPageChars, lines: range };
  throw new GatewayError(
    'TOOL_ARGUMENTS',
    `lines ${JSON.stringify(lines)} is not a range; write 10 or 10-40`,
  );
}

/** Reads only the parts that contain the page. @throws GatewayError TOOL_ARGUMENTS for lines that do not exist */
async function storedPage(stored: StoredResult, asked: AskedText, turns: Turns): Promise<CallResult> {
  const { chars, newLines } = stored;
  const first = firstPart(asked, newLines);
  const before = { chars: first * PART_CHARS, newLines: sumOf(newLines.slice(0, first)) };
  const page = new TextPage(asked, before);
  for (let number = first; number < newLines.length && !page.isFull; number += 1) {
    page.add(await stored.part(number));
    await turns.next();
  }
  return answerOf(page, asked, { chars, newLines: sumOf(newLines) });
}

function firstPart({ offset, lines }: AskedText, newLines: readonly number[]): number {
  if (lines === undefined) return Math.min(Math.floor(offset / PART_CHARS), newLines.length);
  let before = 0;
  const found = newLines.findIndex((count) => (before += count) >= lines.first - 1);
  return found < 0 ? newLines.length : found;
}

/** Returns a selected image or sound as an image or sound, not as base64 text. @throws GatewayError TOOL_ARGUMENTS */
function answerOfSelected(selected: Selected, asked: AskedText): CallResult {
  return 'media' in selected
    ? rawResult(`{"content":[${selected.media}]}`)
    : answerOf(selected, asked, selected.counted);
}

function refused(error: unknown): never {
  if (!(error instanceof WorkerFault)) throw error;
  const fix = 'select fewer values, each once, a part such as [0:100], or leave select out and read by pages';
  throw new GatewayError(
    'TOOL_ARGUMENTS',
    error.isCallers ? error.message : `select ${error.message}; ${fix}`,
  );
}

/** Returns the position of the page as JSON, then its text, unescaped. */
function answerOf(page: Shown, { lines }: AskedText, { chars, newLines }: Counted): CallResult {
  const { offset, shown } = page;
  if (offset === undefined) {
    const text = `line ${lines?.first ?? 1} does not exist; the text has ${newLines + 1} lines`;
    throw new GatewayError('TOOL_ARGUMENTS', text);
  }
  const end = offset + shown.length;
  const place = {
    offset,
    chars: shown.length,
    total_chars: chars,
    total_lines: newLines + 1,
    truncated: end < chars,
    ...(end < chars && { next_offset: end }),
  };
  const { content } = jsonResult(place).value();
  return resultOf({ content: [...content, { type: 'text', text: shown }] });
}
