import type { Finding } from 'pegboard';
import { isTemplate, textsIn } from './templates.ts';
import type { GroupStep, Step, Workflow } from './model.ts';
import { allSteps, flatConditions, innerSteps } from './model.ts';
import { soleReference } from './paths.ts';

/** A longer time without a unit looks like milliseconds. */
const LONG_MS = 5_000_000;

/** What is allowed, and fails or surprises in some runs. All are warnings. */
export function checkHazards(workflow: Workflow): readonly Finding[] {
  return [
    ...allSteps(workflow).flatMap((step) => [
      ...(step.kind === 'parallel' ? boundTwice(step) : []),
      ...(step.kind === 'forEach' && typeof step.items === 'string' && !isTemplate(step.items)
        ? [noList(step)]
        : []),
      ...conditionFaults(step, workflow),
      ...longTime(step.timeoutMs, [...step.path, 'timeout'], `step ${step.id}: `),
    ]),
    ...longTime(workflow.timeoutMs, ['timeout'], ''),
    ...skippedInOutput(workflow),
  ];
}

function warning(path: Finding['path'], message: string): Finding {
  return { path, message, severity: 'warning' };
}

function noList({ id, path }: Step): Finding {
  const message = `step ${id}: items: a text is not a list; write a template that gives one, '{{ .input.list }}'`;
  return warning([...path, 'forEach', 'items'], message);
}

function boundTwice({ id, path, steps }: GroupStep): readonly Finding[] {
  const binders = new Map<string, string>();
  return steps.flatMap((member) =>
    Object.keys(member.outputs ?? {}).flatMap((name) => {
      const first = binders.get(name);
      binders.set(name, member.id);
      if (first === undefined) return [];
      const message = `step ${id}: ${first} and ${member.id} both bind .vars.${name}, and the last one wins; give them different names`;
      return [warning([...path, 'parallel', steps.indexOf(member), 'outputs', name], message)];
    }),
  );
}

function conditionFaults({ id, condition }: Step, { args }: Workflow): readonly Finding[] {
  return flatConditions(condition).flatMap((one): readonly Finding[] => {
    if (one.from === 'template') {
      const message = printedFault(one.template, args);
      return message === undefined ? [] : [warning(one.path, `step ${id}: condition: ${message}`)];
    }
    if ('of' in one) return [];
    const paths = [one.expect, one.expectNot].flatMap((wanted) => Object.keys(wanted?.jsonPath ?? {}));
    const rooted = paths.find((path) => path.startsWith('$') || path.startsWith('.'));
    if (rooted === undefined) return [];
    const plain = rooted.replace(/^\$?\.?/, '');
    const message = `a path begins with the first field; write ${plain === '' ? 'status' : plain}, not ${rooted}`;
    return [warning(one.path, `step ${id}: condition: ${message}`)];
  });
}

/** Why a condition prints neither true nor false. */
function printedFault(template: string, args: Workflow['args']): string | undefined {
  const outside = template.replaceAll(/\{\{[^{}]*\}\}/g, ' ').trim();
  if (template.includes('{{') && !/^[\s]*(?:(?:true|false)\s*)*$/.test(outside))
    return `${JSON.stringify(outside.slice(0, 40))} outside of {{ }} is printed too, so this is neither true nor false; write all inside, as in '{{ eq .input.name "x" }}'`;
  const [, counted] = /^\s*\{\{-?\s{0,9}len\s{1,9}([.\w]+)\s{0,9}-?\}\}\s*$/.exec(template) ?? [];
  if (counted !== undefined) return `this prints a number; write '{{ gt (len ${counted}) 0 }}'`;
  const path = soleReference(template);
  const argument = args.find(({ name }) => path === `input.${name}`);
  if (argument === undefined || argument.type === 'boolean') return undefined;
  return `.${path ?? ''} is of type ${argument.type}, and must be true or false; write '{{ eq .${path ?? ''} "x" }}' or '{{ not (empty .${path ?? ''}) }}'`;
}

function longTime(ms: number | undefined, path: Finding['path'], at: string): readonly Finding[] {
  if (ms === undefined || ms < LONG_MS || ms % 1_000_000 !== 0) return [];
  return [warning(path, `${at}timeout: ${ms / 1000} means seconds; for milliseconds write ${ms / 1000}ms`)];
}

/** Steps with a condition, and those inside them, have no result when they are skipped. */
function skippedInOutput({ steps, output }: Workflow): readonly Finding[] {
  const skippable = steps.flatMap((step) => {
    const inside = innerSteps(step).filter((inner) => (inner.condition ?? step.condition) !== undefined);
    return [...(step.condition === undefined ? [] : [step.id]), ...inside.map(({ id }) => id)];
  });
  const mayBeSkipped = new Set(skippable);
  return textsIn(output, ['output']).flatMap(({ text, path }) => {
    const tested = namedIn(text, /\.steps\.([\w-]+)/g);
    const used = [...namedIn(text, /\.(?:results|context)\.([\w-]+)/g)];
    return used
      .filter((id) => mayBeSkipped.has(id) && !tested.has(id))
      .map((id) => {
        const message = `output: ${String(path.at(-1))}: step ${id} has a condition, and if it is skipped, .results.${id} fails`;
        return warning(
          path,
          `${message}; write {{ get .results "${id}" }}, or test .steps.${id}.status first`,
        );
      });
  });
}

function namedIn(text: string, pattern: RegExp): ReadonlySet<string> {
  return new Set([...text.matchAll(pattern)].map(([, id = '']) => id));
}
