import { messageOf } from 'pegboard';
import type { GroupStep, LoopStep, ToolStep } from '../definition/model.ts';
import { faultOf, noteReferences, renderOutputs } from './render.ts';
import { beginEntry, forked, rootsOf } from './state.ts';
import type { RunFailure, Frame, StepEntry, TemplateScope } from './state.ts';
import { endEntry, failWith, holds, runToolStep } from './step.ts';

/** A failure that stops the following steps; undefined to continue. */
export type Stop = RunFailure | undefined;

/** Runs `steps` in order until one fails that has no allowFailure. */
export async function runInOrder(steps: readonly ToolStep[], frame: Frame): Promise<Stop> {
  for (const [index, step] of steps.entries()) {
    const entry = await runToolStep(step, { ...frame, order: [...frame.order, index] });
    const stop = stopOf(entry, frame);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

/** The failure of an entry, unless allowFailure tolerates it; a cancelled run always stops. */
export function stopOf(entry: StepEntry, { cancel }: Frame): Stop {
  if (entry.status !== 'failed' || (entry.allowFailure && cancel.reason === undefined)) return undefined;
  return { step: entry.id, tool: entry.tool, message: entry.error ?? 'failed' };
}

/** Runs a loop or a group: checks its condition, gathers the results, applies allowFailure. */
export async function runComposite(step: LoopStep | GroupStep, frame: Frame): Promise<Stop> {
  const { scope, run } = frame;
  const entry = beginEntry(frame, step);
  const leave = (): void => void run.entries.splice(run.entries.indexOf(entry), 1);
  try {
    if (!(await holds(step, entry, frame))) {
      endEntry(entry, frame, 'skipped');
      return undefined;
    }
    const { gathered, stop } =
      step.kind === 'forEach' ? await runLoop(step, frame) : await runGroup(step, frame);
    scope.results[step.id] = gathered;
    scope.steps[step.id] = { status: stop ? 'failed' : 'completed' };
    if (step.outputs && !stop) Object.assign(scope.vars, await renderOutputs(step.outputs, gathered, frame));
    // Inner steps have their own entries; a loop or group keeps an entry only if it was skipped or failed itself.
    leave();
    return stop && step.allowFailure && frame.cancel.reason === undefined ? undefined : stop;
  } catch (error) {
    failWith({ isError: true, value: undefined, text: messageOf(error) }, entry, frame);
    return stopOf(entry, frame);
  }
}

interface Gathered {
  readonly gathered: unknown;
  readonly stop: Stop;
}

async function runLoop(step: LoopStep, frame: Frame): Promise<Gathered> {
  const { run, scope } = frame;
  const items = await itemsOf(step, frame);
  const scopes: (TemplateScope | undefined)[] = items.map(() => undefined);
  let stop: Stop;
  await atMost(Math.min(step.concurrency, run.config.maxParallel), items, async (item, index) => {
    if (stop !== undefined || frame.cancel.reason !== undefined) return;
    const own = forked(scope);
    for (const { id } of step.steps) forget(own, id);
    scopes[index] = own;
    own.vars[step.as] = item;
    own.vars[`${step.as}_index`] = index;
    const inner = { ...frame, scope: own, parent: step.id, iteration: index, order: [...frame.order, index] };
    stop = (await runInOrder(step.steps, inner)) ?? stop;
    for (const { id } of step.steps) publish(own, scope, id, `${id}_${index}`);
  });
  for (const own of scopes) if (own) for (const { id } of step.steps) publish(own, scope, id, id);
  bindVariables(scopes, step, scope);
  const gathered = scopes.map((own) => gatheredFrom(own, step.steps));
  return { gathered, stop: stop ?? cancelled(frame) };
}

async function runGroup(step: GroupStep, frame: Frame): Promise<Gathered> {
  const { run, scope } = frame;
  const ended = await atMost(run.config.maxParallel, step.steps, async (inner, index) => {
    const own = forked(scope);
    const entry = await runToolStep(inner, {
      ...frame,
      scope: own,
      parent: step.id,
      order: [...frame.order, index],
    });
    return { own, entry, inner };
  });
  for (const { own, inner } of ended) {
    publish(own, scope, inner.id, inner.id);
    if (inner.outputs)
      for (const name of Object.keys(inner.outputs))
        if (Object.hasOwn(own.vars, name)) scope.vars[name] = own.vars[name];
  }
  const stops = ended.flatMap(({ entry }) => stopOf(entry, frame) ?? []);
  return { gathered: gatheredFrom(scope, step.steps), stop: stops[0] };
}

async function itemsOf({ id, items, maxItems }: LoopStep, frame: Frame): Promise<readonly unknown[]> {
  const found: unknown = typeof items === 'string' ? await renderItems(id, items, frame) : items;
  if (!Array.isArray(found)) {
    const isNil = found === null || found === undefined;
    const what = isNil ? `nil; ${orNoItems(String(items))}` : `${typeNameOf(found)}, expected a list`;
    throw new Error(`forEach step ${id}: items expression ${JSON.stringify(items)} resolved to ${what}`);
  }
  const limit = Math.min(maxItems ?? Infinity, frame.run.config.maxItems);
  if (found.length <= limit) return found as readonly unknown[];
  throw new Error(
    `forEach step ${id}: ${found.length} items exceed maxItems (${limit}); pass fewer or raise it`,
  );
}

/** Servers written in Go answer null in place of an empty list. */
function orNoItems(items: string): string {
  return `if that means no items, write '${items.trim().replace(/\s?\}\}$/, ' | default list }}')}'`;
}

async function renderItems(id: string, items: string, frame: Frame): Promise<unknown> {
  try {
    noteReferences(items, frame);
    return await frame.run.templates.typed(items, rootsOf(frame));
  } catch (error) {
    throw new Error(
      `forEach step ${id}: failed to resolve items expression: ${faultOf(error, items, frame)}`,
      {
        cause: error,
      },
    );
  }
}

/** Go's names for the types of JSON values. */
function typeNameOf(value: unknown): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'float64';
  return typeof value === 'boolean' ? 'bool' : 'map[string]interface {}';
}

function forget({ results, steps }: TemplateScope, id: string): void {
  Reflect.deleteProperty(results, id);
  Reflect.deleteProperty(steps, id);
}

/** Copies only an existing result: a skipped step must not show the result of an earlier iteration. */
function publish(from: TemplateScope, to: TemplateScope, id: string, as: string): void {
  if (Object.hasOwn(from.results, id)) to.results[as] = from.results[id];
  const status = from.steps[id];
  if (status !== undefined) to.steps[as] = status;
}

function bindVariables(
  scopes: readonly (TemplateScope | undefined)[],
  { steps }: LoopStep,
  scope: TemplateScope,
): void {
  const names = steps.flatMap(({ outputs }) => Object.keys(outputs ?? {}));
  for (const own of scopes)
    for (const name of names) if (own && Object.hasOwn(own.vars, name)) scope.vars[name] = own.vars[name];
}

function gatheredFrom(scope: TemplateScope | undefined, steps: readonly ToolStep[]): unknown {
  if (scope === undefined) return null;
  const found = steps
    .filter(({ id }) => Object.hasOwn(scope.results, id))
    .map(({ id }) => [id, scope.results[id]]);
  return Object.fromEntries(found) as unknown;
}

function cancelled({ cancel }: Frame): Stop {
  return cancel.reason === undefined ? undefined : { message: cancel.reason };
}

/** Maps `items` with at most `width` of them in progress. */
async function atMost<T, R>(
  width: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}
