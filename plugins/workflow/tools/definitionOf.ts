import { isObject } from 'pegboard';
import { stringify } from 'yaml';
import type { JsonObject, Resource } from 'pegboard';
import { either, snakeOf } from '../definition/spelling.ts';
import { omit } from '../definition/omit.ts';

const API_VERSION = 'pegboard.dev/v1alpha1';
/** Keys that tools and files spell differently; all other keys are the same in both. */
const TWO_FORMS = ['allowFailure', 'fromStep', 'expectNot', 'jsonPath'];
type Form = 'tool' | 'file';

/** A definition as core_workflow_get returns it: in the spelling of the tools, and as the text of a file. */
export function definitionOf({ name, labels, spec }: Resource, available: boolean): JsonObject {
  const metadata = { name, ...(labels && { labels }) };
  const file = { apiVersion: API_VERSION, kind: 'Workflow', metadata, spec: respelled(spec, 'file') };
  const { description = '', ...rest } = respelled(spec, 'tool');
  return {
    workflow: { name, description, ...(labels && { labels }), ...rest, available },
    yaml: stringify(file, { lineWidth: 0 }),
  };
}

/** A copy of a spec with every structural key in one spelling; arguments and templates are unchanged. */
function respelled(spec: JsonObject, form: Form): JsonObject {
  const { steps } = spec;
  const rest = omit(spec, 'steps', 'on_failure');
  const onFailure = either(spec, 'onFailure').value;
  const listOf = (list: unknown): unknown =>
    Array.isArray(list) ? list.map((step) => stepIn(step, form)) : list;
  return {
    ...rest,
    ...(steps !== undefined && { steps: listOf(steps) }),
    ...(onFailure !== undefined && { onFailure: listOf(onFailure) }),
    ...(rest['finally'] !== undefined && { finally: listOf(rest['finally']) }),
  };
}

function stepIn(step: unknown, form: Form): unknown {
  if (!isObject(step)) return step;
  return mapped(step, form, (key, value) => {
    if (key === 'condition') return conditionIn(value, form);
    if (key === 'parallel' && Array.isArray(value)) return value.map((one) => stepIn(one, form));
    if (key === 'forEach' && isObject(value))
      return mapped(value, form, (inner, found) =>
        inner === 'steps' && Array.isArray(found) ? found.map((one) => stepIn(one, form)) : found,
      );
    return key === 'retry' && isObject(value) ? mapped(value, form, (_, found) => found) : value;
  });
}

function conditionIn(condition: unknown, form: Form): unknown {
  if (!isObject(condition)) return condition;
  return mapped(condition, form, (key, value) => {
    if ((key === 'all' || key === 'any') && Array.isArray(value))
      return value.map((one) => conditionIn(one, form));
    if (key === 'not') return conditionIn(value, form);
    if ((key === 'expect' || key === 'expectNot') && isObject(value))
      return mapped(value, form, (_, found) => found);
    return value;
  });
}

/** @param change receives each key in its camelCase spelling */
function mapped(value: JsonObject, form: Form, change: (key: string, value: unknown) => unknown): JsonObject {
  const entries = Object.entries(value).map(([key, one]) => {
    const camel = CAMEL_BY_SNAKE.get(key) ?? key;
    const shown = form === 'tool' && TWO_FORMS.includes(camel) ? snakeOf(camel) : camel;
    return [shown, change(camel, one)];
  });
  return Object.fromEntries(entries) as JsonObject;
}

const CAMEL_BY_SNAKE = new Map(
  [...TWO_FORMS, 'forEach', 'maxItems', 'maxDelay'].map((camel) => [snakeOf(camel), camel]),
);
