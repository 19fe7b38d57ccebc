import { isDeepStrictEqual } from 'node:util';
import { isObject, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { exactForm, withExactForm } from '../../kit/calls/exactNumbers.ts';
import { asWanted } from './asWanted.ts';
import { rootsOf } from './state.ts';
import type { Frame } from './state.ts';
import { mapValues, renderDeep, templateFault } from '../definition/templates.ts';
import { navigate, soleReference } from '../definition/paths.ts';

/** @param tool whose schema says which types the arguments have
 *  @throws Error naming the argument. Source: requirement workflow.templates. */
export async function renderArguments(args: JsonObject, tool: string, frame: Frame): Promise<JsonObject> {
  const roots = rootsOf(frame);
  const rendered: unknown[] = [];
  const render = async (text: string): Promise<unknown> => {
    const value = await argument(text, roots, frame);
    rendered.push(value);
    return value;
  };
  const printed = await mapValues(args, async (value, key) => {
    try {
      return await renderDeep(value, render);
    } catch (error) {
      throw new Error(`failed to render arguments for argument '${key}': ${messageOf(error)}`, {
        cause: error,
      });
    }
  });
  const { input, call, schemaOf, secrets } = frame.run;
  const mask = (value: unknown): unknown => secrets.mask(value);
  const result = asWanted(args, printed, schemaOf(tool), { path: '', mask }) as JsonObject;
  const exact = exactForm(call.args);
  // A converted value is not the number that the client has written.
  if (exact === undefined || !isDeepStrictEqual(result, printed)) return result;
  // Numbers that are passed on untouched arrive as the client has written them.
  const untouched = (text: string): Promise<unknown> => {
    const value = rendered.shift();
    const path = soleReference(text);
    const isInput = path?.startsWith('input.') === true;
    return Promise.resolve(isInput ? navigate({ input: { ...input, ...exact } }, path) : value);
  };
  return withExactForm(result, await mapValues(args, (value) => renderDeep(value, untouched)));
}

async function argument(text: string, roots: JsonObject, frame: Frame): Promise<unknown> {
  try {
    noteReferences(text, frame);
    return await kept(await frame.run.templates.argument(text, roots), frame);
  } catch (error) {
    throw new Error(`failed to render arguments: ${faultOf(error, text, frame)}`, { cause: error });
  }
}

/** Counts a text that was rendered; any other value is one that the run has already. */
async function kept(value: unknown, { run }: Frame): Promise<unknown> {
  if (typeof value === 'string') await run.memory.takes(value.length);
  return value;
}

/** Collects the references of a template for `template_vars`. */
export function noteReferences(text: string, { run }: Frame): void {
  for (const [root, name] of referencesIn(text, run))
    if (root === 'input' && name !== undefined) run.variables.add(`input.${name}`);
}

function referencesIn(text: string, { templates }: Frame['run']): readonly (readonly string[])[] {
  const sole = soleReference(text);
  return sole === undefined ? templates.parse(text).references() : [sole.split(/[.[]/)];
}

/** The message of a template that failed, with what the answers of steps that it reads hold in place of a result. */
export function faultOf(error: unknown, text: string, { run }: Frame): string {
  const fault = templateFault(error);
  const noted = run.entries.filter(({ note }) => note !== undefined);
  if (noted.length === 0 || fault.startsWith('invalid template')) return fault;
  const paths = referencesIn(text, run).filter(([root = '']) => ['results', 'context'].includes(root));
  const names = new Set(paths.flat());
  const read = noted.find(({ id, iteration }) => names.has(id) || names.has(`${id}_${iteration ?? ''}`));
  return read === undefined ? fault : `${fault}; step ${read.id}: ${read.note ?? ''}`;
}

/** Renders `outputs` of a step, which are bound below `.vars`. @param result undefined if there is none @throws Error naming the output */
export async function renderOutputs(outputs: JsonObject, result: unknown, frame: Frame): Promise<JsonObject> {
  const roots = { ...rootsOf(frame), ...(result !== undefined && { result }) };
  return mapValues(outputs, async (value, name) =>
    renderDeep(value, async (text) => {
      try {
        return await kept(await frame.run.templates.typed(text, roots), frame);
      } catch (error) {
        throw new Error(`failed to render outputs.${name}: ${faultOf(error, text, frame)}`, { cause: error });
      }
    }),
  );
}

/** Renders the output template of a workflow. @throws Error naming the key. */
export async function renderAnswer(output: JsonObject, frame: Frame): Promise<JsonObject> {
  const roots = rootsOf(frame);
  const render = async (value: unknown, path: string): Promise<unknown> => {
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const [index, one] of value.entries()) items.push(await render(one, `${path}[${index}]`));
      return items;
    }
    if (isObject(value)) return mapValues(value, (one, key) => render(one, `${path}.${key}`));
    if (typeof value !== 'string' || !value.includes('{{')) return value;
    try {
      return await kept(finite(await frame.run.templates.typed(value, roots)), frame);
    } catch (error) {
      const fault = faultOf(error, value, frame);
      throw new Error(`failed to render output template: ${path}: ${fault}`, { cause: error });
    }
  };
  return mapValues(output, (one, key) => render(one, `output.${key}`));
}

/** JSON cannot represent infinities and NaN. */
function finite(value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
