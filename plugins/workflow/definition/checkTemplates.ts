import { DENIED_BY_DEFAULT, TemplateError, parseTemplate } from '@pegboard/gotpl';
import type { Template } from '@pegboard/gotpl';
import type { Finding } from 'pegboard';
import type { Path } from '../../kit/definitions/beside.ts';
import { allSteps, flatConditions, innerSteps } from './model.ts';
import type { Condition, RestrictedUse, Step, Workflow } from './model.ts';
import { soleReference } from './paths.ts';
import { templatesIn } from './templates.ts';
import type { FoundTemplate } from './templates.ts';

/** The maximum of `templateMaxNesting` in the schema. */
const MAX_NESTING = 500;
const ROOTS = ['input', 'results', 'context', 'vars', 'workflow', 'steps', 'error', 'result'];

/** Templates that do not parse are errors; references that do not resolve are warnings, since a template may test
 *  them first. Whether a restricted function is a fault depends on the configuration. */
export function checkTemplates(workflow: Workflow): readonly (Finding | RestrictedUse)[] {
  const findings: (Finding | RestrictedUse)[] = [];
  const ids = new Set(allSteps(workflow).map(({ id }) => id));
  const earlier = new Set<string>();
  const look = (step: Step): void => {
    for (const found of templatesOf(step))
      findings.push(...checkTemplate(found, step.id, { workflow, ids, earlier }));
    findings.push(...checkSources(step, ids, earlier));
  };
  const walk = (step: Step): void => {
    look(step);
    const inside = innerSteps(step);
    for (const inner of inside) {
      look(inner);
      if (step.kind === 'forEach') earlier.add(inner.id);
    }
    for (const { id } of [...inside, step]) earlier.add(id);
  };
  workflow.steps.forEach(walk);
  workflow.onFailure.forEach(walk);
  workflow.finally.forEach(walk);
  for (const found of templatesIn(workflow.output, ['output']))
    findings.push(...checkTemplate(found, 'output', { workflow, ids, earlier: ids }));
  return findings;
}

interface Known {
  readonly workflow: Workflow;
  readonly ids: ReadonlySet<string>;
  readonly earlier: ReadonlySet<string>;
}

function templatesOf(step: Step): readonly FoundTemplate[] {
  const { path, condition, outputs } = step;
  const own =
    step.kind === 'tool'
      ? templatesIn(step.args, [...path, 'args'])
      : templatesIn(step.kind === 'forEach' ? step.items : undefined, [...path, 'forEach', 'items']);
  return [
    ...own,
    ...templatesIn(outputs, [...path, 'outputs']),
    ...flatConditions(condition).flatMap(inCondition),
  ];
}

function inCondition(condition: Condition): readonly FoundTemplate[] {
  const { path } = condition;
  if (condition.from === 'template') return [{ text: condition.template, path: [...path, 'template'] }];
  if ('of' in condition) return [];
  const expectations = [condition.expect, condition.expectNot].flatMap((one) => (one ? [one.jsonPath] : []));
  const keys = expectations.flatMap((jsonPath) => Object.keys(jsonPath).filter((key) => key.includes('{{')));
  return [
    ...(condition.from === 'tool' ? templatesIn(condition.args, [...path, 'args']) : []),
    ...expectations.flatMap((jsonPath) => templatesIn(jsonPath, path)),
    ...keys.map((text) => ({ text, path })),
  ];
}

function checkTemplate(
  { text, path }: FoundTemplate,
  step: string,
  known: Known,
): readonly (Finding | RestrictedUse)[] {
  const at = step === 'output' ? 'output' : `step ${step}`;
  const where = `${at}: ${String(path.at(-1) ?? '')}`;
  const sole = soleReference(text);
  // A sole path is walked, not parsed, so hyphens and indexes are allowed although they are not valid Go.
  if (sole !== undefined) return checkReferences([sole.split(/[.[]/)], { where, path, known });
  let template: Template;
  try {
    template = parseTemplate(text);
  } catch (error) {
    return [fault(error, { path, where, isLimit: parses(text) })];
  }
  const denied = template.functionNames.filter((name) => DENIED_BY_DEFAULT.includes(name));
  const restricted = denied.map((functionName): RestrictedUse => ({
    functionName,
    path,
    message: `${where}: function ${functionName} is denied unless templateFunctions allows it`,
  }));
  return [...restricted, ...checkReferences(template.references(), { where, path, known })];
}

/** An exceeded limit is only a warning: the configuration may allow more than the defaults used here. */
function fault(
  error: unknown,
  { path, where, isLimit }: Pick<Place, 'path' | 'where'> & { readonly isLimit: boolean },
): Finding {
  if (!(error instanceof TemplateError)) throw error;
  if (!isLimit) return { path, message: `${where}: invalid template: ${error.message}` };
  const message = `${where}: ${error.message}, unless a templateMax setting of plugins.workflow allows it`;
  return { path, severity: 'warning', message };
}

function parses(text: string): boolean {
  try {
    parseTemplate(text, { limits: { maxSourceBytes: Infinity, maxNesting: MAX_NESTING } });
    return true;
  } catch {
    return false;
  }
}

interface Place {
  readonly where: string;
  readonly path: Path;
  readonly known: Known;
}

function checkReferences(
  references: readonly (readonly string[])[],
  { where, path, known }: Place,
): readonly Finding[] {
  return references.flatMap(([root = '', name]): Finding[] => {
    const message = faultOf(root, name, known);
    return message === undefined ? [] : [{ path, severity: 'warning', message: `${where}: ${message}` }];
  });
}

function faultOf(
  root: string,
  name: string | undefined,
  { workflow, ids, earlier }: Known,
): string | undefined {
  if (!ROOTS.includes(root))
    return `.${root} is unknown; the roots are ${ROOTS.map((one) => `.${one}`).join(', ')}`;
  if (name === undefined || name === '') return undefined;
  if (root === 'input') {
    const argument = workflow.args.find((one) => one.name === name);
    if (argument === undefined) return `.input.${name} is not declared below args`;
    if (!argument.required && argument.default === undefined)
      return `.input.${name} is optional and has no default; read it with get .input "${name}"`;
  }
  if (root !== 'results' && root !== 'context' && root !== 'steps') return undefined;
  const step = ids.has(name) ? name : name.replace(/_\d+$/, '');
  if (!ids.has(step)) return `.${root}.${name} refers to a step that does not exist`;
  return earlier.has(step) ? undefined : `.${root}.${name} refers to a step that has not run by then`;
}

function checkSources(
  { id, condition }: Step,
  ids: ReadonlySet<string>,
  earlier: ReadonlySet<string>,
): readonly Finding[] {
  return flatConditions(condition).flatMap((one): Finding[] => {
    if (one.from !== 'step' || earlier.has(one.step)) return [];
    const what = ids.has(one.step) ? 'has not run by then' : 'does not exist';
    return [
      {
        path: [...one.path, 'fromStep'],
        message: `step ${id}: condition.fromStep names step ${one.step}, which ${what}`,
      },
    ];
  });
}
