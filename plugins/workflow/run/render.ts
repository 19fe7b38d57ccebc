import { messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { rootsOf } from './state.ts';
import type { Frame } from './state.ts';
import { renderDeep, templateFault } from '../definition/templates.ts';
import { soleReference } from '../definition/paths.ts';

/** @throws Error naming the argument. Source: workflow.md 5.2, 5.8 */
export function renderArguments(args: JsonObject, frame: Frame): JsonObject {
  const roots = rootsOf(frame);
  const rendered = Object.entries(args).map(([key, value]) => {
    try {
      return [key, renderDeep(value, (text) => argument(text, roots, frame))];
    } catch (error) {
      throw new Error(`failed to render arguments for argument '${key}': ${messageOf(error)}`, {
        cause: error,
      });
    }
  });
  return Object.fromEntries(rendered) as JsonObject;
}

function argument(text: string, roots: JsonObject, frame: Frame): unknown {
  try {
    noteReferences(text, frame);
    return frame.run.templates.argument(text, roots);
  } catch (error) {
    throw new Error(`failed to render arguments: ${templateFault(error)}`, { cause: error });
  }
}

/** For `template_vars`. */
export function noteReferences(text: string, { run }: Frame): void {
  const sole = soleReference(text);
  const paths = sole === undefined ? run.templates.parse(text).references() : [sole.split('.')];
  for (const [root, name] of paths)
    if (root === 'input' && name !== undefined) run.variables.add(`input.${name}`);
}

/** `outputs` of a step, bound below `.vars`. @throws Error naming the output */
export function renderOutputs(outputs: JsonObject, result: unknown, frame: Frame): JsonObject {
  const roots = { ...rootsOf(frame), result };
  const bound = Object.entries(outputs).map(([name, value]) => {
    try {
      return [name, renderDeep(value, (text) => frame.run.templates.typed(text, roots))];
    } catch (error) {
      throw new Error(`failed to render outputs.${name}: ${templateFault(error)}`, { cause: error });
    }
  });
  return Object.fromEntries(bound) as JsonObject;
}

/** The workflow's answer. @throws Error naming the key. Source: workflow.md 2.9 */
export function renderAnswer(output: JsonObject, frame: Frame): JsonObject {
  const roots = rootsOf(frame);
  const render = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((one, index) => render(one, `${path}[${index}]`));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, render(one, `${path}.${key}`)]),
      );
    if (typeof value !== 'string' || !value.includes('{{')) return value;
    try {
      return finite(frame.run.templates.typed(value, roots));
    } catch (error) {
      throw new Error(`failed to render output template: ${path}: ${templateFault(error)}`, { cause: error });
    }
  };
  return render(output, 'output') as JsonObject;
}

/** JSON has no word for these numbers. */
function finite(value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
