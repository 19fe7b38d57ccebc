import { ToolTable, isGatewayError, rawResult } from 'pegboard';
import type { Call, CallResult, Scope } from 'pegboard';
import { sharerOf } from '../../kit/authority/ownerOf.ts';
import type { Turns } from '../../kit/limits/turns.ts';
import { traceIdOf } from '../../kit/calls/traceIdOf.ts';
import type { MetatoolsConfig } from '../config.ts';
import { examine, textShape } from './examine.ts';
import type { ResultView, StoredView } from './examine.ts';
import { headOf } from './headOf.ts';
import { WorkerFault } from './inWorker.ts';
import type { InWorker } from './inWorker.ts';
import { isSavedByClient } from './isSavedByClient.ts';
import { PART_CHARS } from './resultHandle.ts';
import type { ResultStore } from './resultStore.ts';
import { newLinesIn, sumOf } from './textPage.ts';

/** Parsing this takes some milliseconds; longer texts are examined by a worker. */
const INLINE_CHARS = 1_048_576;
/** Estimated size of an id with its path; limits the number of ids in a small budget. */
const CHARS_OF_AN_ID = 200;
/** A result that cannot be stored is answered whole up to so many budgets: the tool has run, and may not be run again for it. */
const WHOLE_BUDGETS = 4;
/** The shape and the ids may take such a part of the budget each. */
const PART_OF_BUDGET = 1 / 4;

export interface BudgetParts {
  readonly scope: Scope<MetatoolsConfig>;
  readonly store: ResultStore;
  readonly turns: Turns;
  readonly worker: InWorker;
  readonly call: Call;
}

/** Stores a result whose text exceeds the budget and returns its head, size, shape and how to continue. Images, sounds
 *  and isError are kept in the answer. One that cannot be stored is returned whole unless it is much larger. */
export async function overBudget(result: CallResult, parts: BudgetParts): Promise<CallResult> {
  const { resultBudget, headChars } = parts.scope.config;
  if (fits(result.json, resultBudget)) return result;
  const view = await viewOf(result.json, parts);
  if (view.bytes <= resultBudget || isSavedByClient(view, parts.call, parts.scope.config)) return result;
  const { text, hasData, data, others, members, newLines, about } = view;
  const kept = await keep(view, parts);
  if (kept.fields.handle === undefined && view.bytes <= resultBudget * WHOLE_BUDGETS) return result;
  const answerOf = (head: string, size = head.length, isWhole = false): string => {
    const note = {
      truncated: true,
      ...kept.fields,
      total_bytes: Buffer.byteLength(text),
      total_chars: text.length,
      total_lines: sumOf(newLines) + 1,
      head_chars: size,
      ...about,
      next: kept.next(size, isWhole),
    };
    const texts = [JSON.stringify(note, null, 2), ...(size > 0 ? [head] : [])];
    return texts.map((one) => JSON.stringify({ type: 'text', text: one })).join();
  };
  // With as many digits as the size of the head can have, and the frame of the answer.
  const rest = `{"content":[${answerOf('', text.length)}]${members}}`;
  const head = headOf(text, {
    maxChars: headChars,
    maxBytes: resultBudget - Buffer.byteLength(rest),
    isJson: hasData && data === undefined,
  });
  const items = [answerOf(head, head.length, head === text), ...others];
  return rawResult(`{"content":[${items.join()}]${members}}`);
}

/** A UTF-16 unit takes at most three bytes of UTF-8, so for most results the bytes need not be counted. */
function fits(json: string, budget: number): boolean {
  return json.length * 3 <= budget || Buffer.byteLength(json) <= budget;
}

async function viewOf(json: string, { scope, turns, worker, call }: BudgetParts): Promise<ResultView> {
  const { maxKeptIds, resultBudget, workerMs } = scope.config;
  const maxIds = Math.min(maxKeptIds, Math.floor(resultBudget / CHARS_OF_AN_ID));
  const maxBytes = resultBudget * PART_OF_BUDGET;
  if (json.length <= INLINE_CHARS) return examine(json, maxIds, maxBytes);
  try {
    const share = { ms: workerMs, sharer: sharerOf(call.request) };
    return await worker.run({ run: 'examine', maxIds, maxBytes }, slices(json, turns), share);
  } catch (error) {
    if (!(error instanceof WorkerFault)) throw error;
    scope.log.warn(`examining an oversized result ${error.message}`, {
      tool: call.args['name'],
      request: call.request.id,
      chars: json.length,
    });
    return unexamined(json, error.message);
  }
}

async function* slices(json: string, turns: Turns): AsyncGenerator<string, void> {
  for (let at = 0; at < json.length; at += PART_CHARS) {
    yield json.slice(at, at + PART_CHARS);
    await turns.next();
  }
}

/** The call has run and may not be repeated, so its JSON is kept as a text. */
function unexamined(json: string, why: string): ResultView {
  return {
    text: json,
    hasData: false,
    data: undefined,
    newLines: newLinesIn(json, PART_CHARS),
    bytes: Buffer.byteLength(json),
    isLines: false,
    others: [],
    members: '',
    about: { shape: `${textShape(json)}, the whole result as JSON: examining it ${why}` },
  };
}

interface Kept {
  readonly fields: { readonly handle?: string; readonly expires_in_seconds?: number };
  /** How to continue after a head of so many characters, which may be the whole text. */
  readonly next: (shown: number, isWhole: boolean) => string;
}

/** Stores a result; if it cannot be stored, the note says so, since the call is not repeated automatically. */
async function keep(result: StoredView, { scope, store, call }: BudgetParts): Promise<Kept> {
  const { storedResultTtlSeconds: expires } = scope.config;
  try {
    const handle = await store.put(result, call.request);
    const select = '"select": "$.key[*].name"';
    const next: Kept['next'] = (shown, isWhole) =>
      isWhole
        ? `get_result {"handle": "${handle}", ${select}} returns a part`
        : `get_result {"handle": "${handle}", "offset": ${shown}} continues; "page": 2, "lines": "1-50" or ${select} returns a part`;
    return { fields: { handle, expires_in_seconds: expires }, next };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const { args, meta, request } = call;
    const facts = { tool: args['name'], code: error.code, request: request.id, trace: traceIdOf(meta) };
    scope.log.warn('an oversized result could not be stored', facts);
    const fix = 'call the tool again with arguments that ask for less';
    const care = isRepeatable(scope, call) ? '' : 'the tool has run: only if that does no harm, ';
    return { fields: {}, next: () => `the rest could not be stored (${error.message}); ${care}${fix}` };
  }
}

/** Whether the tool that was called declares that a second call does no harm. */
function isRepeatable(scope: Scope<unknown>, { args, request }: Call): boolean {
  const tool = scope.get(ToolTable).find(String(args['name']), request);
  const { readOnlyHint, idempotentHint } = tool?.annotations ?? {};
  return readOnlyHint === true || idempotentHint === true;
}
