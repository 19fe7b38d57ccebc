import { isGatewayError, rawResult } from 'pegboard';
import type { Call, CallResult, JsonObject, Scope } from 'pegboard';
import type { Turns } from '../../kit/limits/turns.ts';
import { traceIdOf } from '../../kit/calls/traceIdOf.ts';
import type { MetatoolsConfig } from '../config.ts';
import { PART_CHARS } from './resultHandle.ts';
import type { KeptResult, ResultStore } from './resultStore.ts';
import { idsIn } from './idsIn.ts';
import { JsonReader } from './jsonReader.ts';
import type { Pausing } from './jsonReader.ts';
import { shapeOf, textShape } from './shapeOf.ts';
import { newLinesIn, sliceText, sumOf } from './textPage.ts';
import { viewOf } from './viewOf.ts';
import type { StoredView } from './viewOf.ts';

/** Estimated size of an id with its path; limits the number of ids in a small budget. */
const CHARS_OF_AN_ID = 200;

export interface BudgetParts {
  readonly scope: Scope<MetatoolsConfig>;
  readonly store: ResultStore;
  readonly turns: Turns;
  readonly call: Call;
}

/** Stores a result whose text exceeds the budget and returns its head, size, shape and how to continue. Images, sounds
 *  and isError are kept in the answer. */
export async function overBudget(result: CallResult, parts: BudgetParts): Promise<CallResult> {
  const { turns } = parts;
  const { config } = parts.scope;
  if (fits(result.json, config.resultBudget)) return result;
  const view = await turns.run(viewOf(new JsonReader(result.json, Infinity)));
  if (view.bytes <= config.resultBudget) return result;
  const { text, others, members } = view;
  const head = sliceText(text, 0, Math.min(config.headChars, config.resultBudget));
  const newLines = await turns.run(newLinesIn(text, PART_CHARS));
  const kept = await keep({ ...view, newLines }, head.length, parts);
  const note = {
    truncated: true,
    ...kept.fields,
    total_bytes: Buffer.byteLength(text),
    total_chars: text.length,
    total_lines: sumOf(newLines) + 1,
    head_chars: head.length,
    ...(await turns.run(described(view, config))),
    next: kept.next,
  };
  const texts = [JSON.stringify(note, null, 2), head].map((part) =>
    JSON.stringify({ type: 'text', text: part }),
  );
  return rawResult(`{"content":[${[...texts, ...others].join()}]${members}}`);
}

/** A UTF-16 unit takes at most three bytes of UTF-8, so for most results the bytes need not be counted. */
function fits(json: string, budget: number): boolean {
  return json.length * 3 <= budget || Buffer.byteLength(json) <= budget;
}

function* described(
  { text, data, hasData }: StoredView,
  { maxKeptIds, resultBudget }: MetatoolsConfig,
): Pausing<JsonObject> {
  if (!hasData) return { shape: textShape(text.length) };
  const json = new JsonReader(data ?? text, Infinity);
  const ids = yield* idsIn(json, Math.min(maxKeptIds, Math.floor(resultBudget / CHARS_OF_AN_ID)));
  return { ...ids, shape: yield* shapeOf(json) };
}

interface Kept {
  readonly fields: { readonly handle?: string; readonly expires_in_seconds?: number };
  readonly next: string;
}

/** Stores a result; if it cannot be stored, the note says so, since the call is not repeated automatically. */
async function keep(result: KeptResult, shown: number, { scope, store, call }: BudgetParts): Promise<Kept> {
  const { storedResultTtlSeconds: expires } = scope.config;
  try {
    const handle = await store.put(result, call.request);
    const next =
      `get_result {"handle": "${handle}", "offset": ${shown}} continues; "page": 2, "lines": "1-50" or ` +
      `"select": "$.key[*].name" returns a part`;
    return { fields: { handle, expires_in_seconds: expires }, next };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const { args, meta, request } = call;
    const facts = { tool: args['name'], code: error.code, request: request.id, trace: traceIdOf(meta) };
    scope.log.warn('an oversized result could not be stored', facts);
    const fix = 'call the tool again with arguments that ask for less';
    return { fields: {}, next: `the rest could not be stored (${error.message}); ${fix}` };
  }
}
