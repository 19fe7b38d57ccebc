import { DENIED_BY_DEFAULT, TemplateError, parseTemplate } from '@pegboard/gotpl';
import type { Template } from '@pegboard/gotpl';
import { nearest } from 'pegboard';
import type { Finding, JsonObject } from 'pegboard';
import type { Path } from '../../kit/definitions/beside.ts';
import { referenceFault } from './referenceFault.ts';
import type { Known } from './referenceFault.ts';
import { foreignText } from './foreignText.ts';
import { allSteps, flatConditions, innerSteps } from './model.ts';
import type { Condition, LoopStep, RestrictedUse, Step, Workflow } from './model.ts';
import { soleReference } from './paths.ts';
import type { Names } from './meantPath.ts';
import { templateHint } from './templateHint.ts';
import { textsIn } from './templates.ts';
import type { FoundTemplate } from './templates.ts';

/** The maximum of `templateMaxNesting` in the schema. */
const MAX_NESTING = 500;
const MAX_SHOWN = 80;
/** How many findings get a hint: looking for near names takes long in a large definition. */
const MAX_HINTS = 100;
const NO_NAMES: Names = { inputs: [], steps: [], vars: [] };

export type ResultSchema = (tool: string) => JsonObject | undefined;
type Found = readonly (Finding | RestrictedUse)[];

/** Templates that do not parse are errors; references that do not resolve are warnings, since a template may test
 *  them first. Whether a restricted function is a fault depends on the configuration.
 *  @param resultOf the schema of a tool's result, if it is known */
export function checkTemplates(workflow: Workflow, resultOf: ResultSchema = () => undefined): Found {
  const steps = new Map(allSteps(workflow).map((step) => [step.id, step]));
  const earlier = new Set<string>();
  const bound = new Set<string>();
  const findings: (Finding | RestrictedUse)[] = [];
  const ids = [...steps.keys()];
  const inputs = workflow.args.map(({ name }) => name);
  const known = (isCleanUp: boolean, loop?: LoopStep): Known => {
    const own = loop === undefined ? [] : [loop.as, `${loop.as}_index`];
    const all = own.length === 0 ? bound : new Set([...bound, ...own]);
    const hints: Names = {
      inputs,
      steps: ids,
      item: loop?.as,
      get vars() {
        return [...all];
      },
    };
    const names = findings.length > MAX_HINTS ? NO_NAMES : hints;
    return { workflow, steps, earlier, bound: all, names, isCleanUp, resultOf };
  };
  const check = (texts: readonly FoundTemplate[], id: string, can: Known): void => {
    for (const found of texts) findings.push(...checkText(found, id, can));
  };
  const begin = (step: Step, can: Known): void => {
    check(templatesOf(step), step.id, can);
    findings.push(...checkSources(step, can));
  };
  const end = ({ id, path, outputs }: Step, can: Known): void => {
    check(textsIn(outputs, [...path, 'outputs']), id, { ...can, ownResult: id });
    for (const name of Object.keys(outputs ?? {})) bound.add(name);
    earlier.add(id);
  };
  const walk = (step: Step, isCleanUp = false): void => {
    begin(step, known(isCleanUp));
    const loop = step.kind === 'forEach' ? step : undefined;
    for (const inner of innerSteps(step)) {
      begin(inner, known(isCleanUp, loop));
      if (loop !== undefined) end(inner, known(isCleanUp, loop));
    }
    if (step.kind === 'parallel') for (const inner of step.steps) end(inner, known(isCleanUp));
    end(step, known(isCleanUp));
  };
  workflow.steps.forEach((step) => walk(step));
  // The answer is made before onFailure and finally.
  check(textsIn(workflow.output, ['output']), 'output', known(false));
  for (const step of [...workflow.onFailure, ...workflow.finally]) walk(step, true);
  return findings;
}

function templatesOf(step: Step): readonly FoundTemplate[] {
  const { path, condition } = step;
  const own =
    step.kind === 'tool'
      ? textsIn(step.args, [...path, 'args'])
      : textsIn(step.kind === 'forEach' ? step.items : undefined, [...path, 'forEach', 'items']);
  return [...own, ...flatConditions(condition).flatMap(inCondition)];
}

function inCondition(condition: Condition): readonly FoundTemplate[] {
  const { path } = condition;
  if (condition.from === 'template') return [{ text: condition.template, path: [...path, 'template'] }];
  if ('of' in condition) return [];
  const expectations = [condition.expect, condition.expectNot].flatMap((one) => (one ? [one.jsonPath] : []));
  const keys = expectations.flatMap((jsonPath) => Object.keys(jsonPath).filter((key) => key.includes('{{')));
  return [
    ...(condition.from === 'tool' ? textsIn(condition.args, [...path, 'args']) : []),
    ...expectations.flatMap((jsonPath) => textsIn(jsonPath, path)),
    ...keys.map((text) => ({ text, path, hasResult: true })),
  ];
}

function checkText({ text, path, hasResult }: FoundTemplate, step: string, known: Known): Found {
  const at = step === 'output' ? 'output' : `step ${step}`;
  const where = `${at}: ${argumentIn(path)}`;
  const place: Place = { where, path, known: hasResult === true ? { ...known, ownResult: '' } : known };
  const foreign = foreignText(text, known.names).map((note) => warning(place, note));
  return text.includes('{{') ? [...checkTemplate(text, place), ...foreign] : foreign;
}

interface Place {
  readonly where: string;
  readonly path: Path;
  readonly known: Known;
}

function warning({ where, path }: Place, message: string): Finding {
  return { path, severity: 'warning', message: `${where}: ${message}` };
}

/** The last name in a path, and the indexes after it. */
function argumentIn(path: Path): string {
  const at = path.findLastIndex((part) => typeof part === 'string');
  return (
    String(path[at] ?? '') +
    path
      .slice(at + 1)
      .map((index) => `[${index}]`)
      .join('')
  );
}

function checkTemplate(text: string, place: Place): Found {
  const { path, where } = place;
  const sole = soleReference(text);
  // A sole path is walked, not parsed, so hyphens and indexes are allowed although they are not valid Go.
  if (sole !== undefined) return checkReferences([sole.split(/[.[]/)], place);
  let template: Template;
  try {
    template = parseTemplate(text);
  } catch (error) {
    return [fault(error, text, place)];
  }
  const denied = template.functionNames.filter((name) => DENIED_BY_DEFAULT.includes(name));
  const restricted = denied.map((functionName): RestrictedUse => ({
    functionName,
    path,
    message: `${where}: function ${functionName} is denied unless templateFunctions allows it`,
  }));
  return [...restricted, ...checkReferences(template.references(), place), ...checkKeys(text, place)];
}

/** Names as texts: `get .input "name"`, and the status that a step is compared with. */
function checkKeys(text: string, place: Place): readonly Finding[] {
  const { steps, bound, workflow } = place.known;
  const keys = [...text.matchAll(/\b(?:get|index|hasKey|pluck) \.(input|results|steps|vars) "([\w.-]+)"/g)];
  const unknown = keys.filter(([, root, name = '']) => {
    if (root === 'input') return !workflow.args.some((argument) => argument.name === name);
    return root === 'vars' ? !bound.has(name) : !steps.has(name) && !steps.has(name.replace(/_\d+$/, ''));
  });
  const compared = [...text.matchAll(/\.steps\.[\w-]+\.status "(\w+)"/g)].map(([, status = '']) => status);
  return [
    ...checkReferences(
      unknown.map(([, root = '', name = '']) => [root, name]),
      place,
    ),
    ...compared
      .filter((status) => !STATUSES.includes(status))
      .map((status) => warning(place, `the status of a step is ${STATUSES.join(', ')}, and never ${status}`)),
  ];
}
const STATUSES = ['completed', 'failed', 'skipped'];

/** An exceeded limit is only a warning: the configuration may allow more than the defaults used here. */
function fault(error: unknown, text: string, place: Place): Finding {
  if (!(error instanceof TemplateError)) throw error;
  if (parses(text))
    return warning(place, `${error.message}, unless a templateMax setting of plugins.workflow allows it`);
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  const { names } = place.known;
  const hint = names === NO_NAMES ? undefined : templateHint(text, error.reason, names);
  const message = `${place.where}: invalid template: ${error.message}, in ${shown}`;
  return { path: place.path, message: hint === undefined ? message : `${message}; ${hint}` };
}

function parses(text: string): boolean {
  try {
    parseTemplate(text, { limits: { maxSourceBytes: Infinity, maxNesting: MAX_NESTING } });
    return true;
  } catch {
    return false;
  }
}

function checkReferences(references: readonly (readonly string[])[], place: Place): readonly Finding[] {
  return references.flatMap((reference): Finding[] => {
    const message = referenceFault(reference, place.known);
    return message === undefined ? [] : [warning(place, message)];
  });
}

function checkSources({ id, condition }: Step, { steps, earlier, names }: Known): readonly Finding[] {
  return flatConditions(condition).flatMap((one): Finding[] => {
    if (one.from !== 'step' || earlier.has(one.step)) return [];
    const what = steps.has(one.step)
      ? 'has not run by then'
      : `does not exist${didYou(one.step, names.steps)}`;
    return [
      {
        path: [...one.path, 'fromStep'],
        message: `step ${id}: condition.fromStep names step ${one.step}, which ${what}`,
      },
    ];
  });
}

function didYou(name: string, steps: readonly string[]): string {
  const [close = steps.find((id) => name.includes(id))] = nearest(name, steps, 1);
  return close === undefined ? '' : `; did you mean ${close}?`;
}
