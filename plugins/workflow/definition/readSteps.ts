import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Path } from '../../kit/definitions/beside.ts';
import type { Retry, RetryCause, Step, ToolStep } from './model.ts';
import { readCondition } from './readCondition.ts';
import { durationMs, either, objectAt } from './spelling.ts';
import type { ReportFault } from './spelling.ts';

const ID = /^[a-zA-Z0-9_-]+$/;
const MAX_ID_CHARS = 63;
const RETRY_CAUSES: readonly RetryCause[] = ['transport', 'isError', 'timeout'];
const DEFAULT_RETRY = { delayMs: 1000, factor: 2, maxDelayMs: 30_000 };

interface Place {
  readonly path: Path;
  /** `step 1` or `sub-step 0` */
  readonly what: string;
  readonly prefix: string;
  readonly fault: ReportFault;
}

/** Reads steps; invalid ones are left out and reported to `fault`. */
export function readSteps(value: unknown, path: Path, fault: ReportFault): readonly Step[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one, index) => {
    const place = {
      path: [...path, index],
      what: `step ${index}`,
      prefix: 'validation failed: steps: ',
      fault,
    };
    return readStep(one, place) ?? [];
  });
}

/** @param prefix prefix of every message */
export function readSubSteps(
  value: unknown,
  path: Path,
  prefix: string,
  fault: ReportFault,
): readonly ToolStep[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one, index) => {
    const place = { path: [...path, index], what: `sub-step ${index}`, prefix, fault };
    return readSubStep(one, place) ?? [];
  });
}

function readStep(value: unknown, place: Place): Step | undefined {
  const { path, fault, prefix } = place;
  const base = readBase(value, place);
  if (base === undefined || !isObject(value)) return undefined;
  const at = `${prefix}${place.what} (${base.id}): `;
  const loop = either(value, 'forEach');
  const composites = [loop.value, value['parallel']].filter((one) => one !== undefined).length;
  if (composites === 2) fault(path, `${at}forEach and parallel are mutually exclusive`);
  if (composites > 0 && value['tool'] !== undefined)
    fault(path, `${at}tool is mutually exclusive with forEach/parallel`);
  if (composites === 0 && value['tool'] === undefined)
    fault(path, `${at}one of tool, forEach, or parallel is required`);
  if (loop.value !== undefined) {
    const below = [...path, loop.key];
    const settings = isObject(loop.value) ? loop.value : {};
    const { items, as = 'item', concurrency } = settings;
    const maxItems = either(settings, 'maxItems').value;
    const invalid = `${at}invalid forEach: `;
    if (!Array.isArray(items) && (typeof items !== 'string' || items === ''))
      fault([...below, 'items'], `${invalid}items is required and must be a template string`);
    if (!Array.isArray(settings['steps']) || settings['steps'].length === 0)
      fault(below, `${invalid}steps is required and must contain at least one sub-step`);
    const steps = readSubSteps(settings['steps'], [...below, 'steps'], invalid, fault);
    return {
      ...base,
      kind: 'forEach',
      items,
      as: String(as),
      concurrency: typeof concurrency === 'number' ? concurrency : 1,
      maxItems: typeof maxItems === 'number' ? maxItems : undefined,
      steps,
    };
  }
  if (value['parallel'] !== undefined) {
    const below = [...path, 'parallel'];
    const invalid = `${at}invalid parallel: `;
    if (!Array.isArray(value['parallel']) || value['parallel'].length === 0)
      fault(below, `${invalid}it must contain at least one sub-step`);
    return { ...base, kind: 'parallel', steps: readSubSteps(value['parallel'], below, invalid, fault) };
  }
  return readTool(value, base, at, place);
}

function readSubStep(value: unknown, place: Place): ToolStep | undefined {
  const base = readBase(value, place);
  if (base === undefined || !isObject(value)) return undefined;
  const at = `${place.prefix}${place.what} (${base.id}): `;
  if (value['tool'] === undefined) place.fault(place.path, `${at}tool is required`);
  for (const word of ['forEach', 'for_each', 'parallel']) {
    if (value[word] !== undefined)
      place.fault(
        [...place.path, word],
        `${at}${word} is not allowed inside another step; use a separate workflow`,
      );
  }
  return readTool(value, base, at, place);
}

type Base = Omit<ToolStep, 'kind' | 'tool' | 'args' | 'retry'>;

function readBase(value: unknown, { path, what, prefix, fault }: Place): Base | undefined {
  if (!isObject(value)) {
    fault(path, `${prefix}${what} is not a valid object`);
    return undefined;
  }
  const { id, output, store, timeout } = value;
  if (typeof id !== 'string' || id === '') {
    fault(path, `${prefix}${what}: ${id === '' ? 'id cannot be empty' : 'id is required'}`);
    return undefined;
  }
  if (!ID.test(id) || id.length > MAX_ID_CHARS || id === '__proto__')
    fault(
      [...path, 'id'],
      `${prefix}${what}: id ${JSON.stringify(id)} is not allowed; use at most ${MAX_ID_CHARS} letters, digits, "_" and "-"`,
    );
  const at = `${prefix}${what} (${id}): `;
  const timeoutMs = durationMs(timeout);
  if (timeout !== undefined && !timeoutMs)
    fault([...path, 'timeout'], `${at}timeout must be seconds or a text such as 30s`);
  const condition =
    value['condition'] === undefined
      ? undefined
      : readCondition(value['condition'], [...path, 'condition'], at, fault);
  return {
    id,
    path,
    condition,
    allowFailure: either(value, 'allowFailure').value === true,
    isVisible: (typeof output === 'boolean' ? output : store) === true,
    hidesInput: output === false,
    outputs: objectAt(value, 'outputs'),
    timeoutMs,
  };
}

function readTool(value: JsonObject, base: Base, at: string, { path, fault }: Place): ToolStep {
  const { tool, args, retry } = value;
  if (tool === '') fault([...path, 'tool'], `${at}tool cannot be empty`);
  return {
    ...base,
    kind: 'tool',
    tool: typeof tool === 'string' ? tool : '',
    args: isObject(args) ? args : {},
    retry: isObject(retry) ? readRetry(retry, [...path, 'retry'], at, fault) : undefined,
  };
}

function readRetry(value: JsonObject, path: Path, at: string, fault: ReportFault): Retry {
  const time = (camel: string): number | undefined => {
    const { key, value: given } = either(value, camel);
    if (given === undefined) return undefined;
    const ms = durationMs(given);
    if (ms === undefined) fault([...path, key], `${at}retry.${key} must be seconds or a text such as 500ms`);
    return ms;
  };
  const { max, factor, on: former } = value;
  const { key, value: present } = either(value, 'retryOn');
  if (present !== undefined && former !== undefined)
    fault([...path, 'on'], `${at}retry.on and retry.${key} are the same; leave retry.on out`);
  const on = present ?? former;
  return {
    max: typeof max === 'number' ? max : 0,
    delayMs: time('delay') ?? DEFAULT_RETRY.delayMs,
    factor: typeof factor === 'number' ? factor : DEFAULT_RETRY.factor,
    maxDelayMs: time('maxDelay') ?? DEFAULT_RETRY.maxDelayMs,
    on: Array.isArray(on) ? (on as RetryCause[]) : RETRY_CAUSES,
    isOnGiven: on !== undefined,
  };
}
