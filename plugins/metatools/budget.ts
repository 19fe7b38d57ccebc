import { resultOf } from 'pegboard';
import type { Call, CallResult, Scope } from 'pegboard';
import type { MetatoolsConfig } from './config.ts';
import type { ResultStore } from './resultStore.ts';
import { idsIn } from './keptIds.ts';
import { shapeOf } from './shape.ts';
import { viewOf } from './stored.ts';
import { sliceText } from './textPage.ts';

/** With its place; ids take no more of a small budget than it has room for. */
const CHARS_OF_AN_ID = 200;

export interface BudgetParts {
  readonly scope: Scope<MetatoolsConfig>;
  readonly store: ResultStore;
  readonly call: Call;
}

/** Keeps a result over the budget and answers its head, its shape and a handle; errors are never cut. */
export function overBudget(result: CallResult, { scope, store, call }: BudgetParts): CallResult {
  const { config } = scope;
  if (!isOver(result.json, config.resultBudget) || result.value().isError === true) return result;
  const handle = store.put(result.json, call.request);
  const { text, root } = viewOf(result.json);
  const head = sliceText(text, 0, Math.min(config.headChars, config.resultBudget));
  const note = {
    truncated: true,
    ...(handle !== undefined && { handle, expires_in_seconds: config.storedResultTtlSeconds }),
    total_bytes: Buffer.byteLength(result.json),
    total_chars: text.length,
    head_chars: head.length,
    ...idsIn(root, Math.min(config.maxKeptIds, Math.floor(config.resultBudget / CHARS_OF_AN_ID))),
    shape: shapeOf(root),
    next: nextStep(handle, head.length),
  };
  return resultOf({
    content: [
      { type: 'text', text: JSON.stringify(note, null, 2) },
      { type: 'text', text: head },
    ],
  });
}

function nextStep(handle: string | undefined, offset: number): string {
  if (handle === undefined)
    return 'the result is too large to be kept; call the tool again with arguments that ask for less';
  const page = `get_result {"handle": "${handle}", "offset": ${offset}} reads on`;
  return `${page}; with "select": "key[0].name" or "key[*].name" it takes a part out`;
}

/** A UTF-16 unit is one to three bytes of UTF-8, so most results are judged without counting. */
function isOver(json: string, budget: number): boolean {
  if (json.length > budget) return true;
  return json.length * 3 > budget && Buffer.byteLength(json) > budget;
}
