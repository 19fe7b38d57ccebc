import { isObject } from 'pegboard';
import { TOOL_PREFIX } from '../definition/model.ts';
import type { StepOutcome } from './readResult.ts';

/** Each level adds its own words; what is left out is in the record of the nested run. */
const MAX_CHARS = 1_000;

/** The outcome of a failed step that called a workflow: where the record is and why it failed, in place of its document, which
 *  would have those of all levels below. Any other outcome is given back. */
export function nestedFailure(tool: string, outcome: StepOutcome): StepOutcome {
  const { isError, value } = outcome;
  const workflow = tool.slice(TOOL_PREFIX.length);
  if (!isError || !tool.startsWith(TOOL_PREFIX) || !isObject(value) || value['workflow'] !== workflow)
    return outcome;
  const { execution_id, error, output_error, status } = value;
  const { message = output_error ?? status } = isObject(error) ? error : {};
  const cause = shortened(String(message));
  return {
    isError,
    value: { execution_id, workflow, error: cause },
    text: shortened(`workflow ${workflow}: ${cause}`),
  };
}

/** The ends say where it happened, from outside in, and what. */
function shortened(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  // No half of a pair of surrogates is kept.
  const head = text.slice(0, MAX_CHARS / 2).replace(/[\ud800-\udbff]$/, '');
  const tail = text.slice(-MAX_CHARS / 2).replace(/^[\udc00-\udfff]/, '');
  return `${head} … ${tail}`;
}
