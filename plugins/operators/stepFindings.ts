import { isObject } from 'pegboard';
import type { ReviewFacts, ReviewFinding } from 'pegboard';
import { needsSignIn } from '../kit/http/signInSettings.ts';
import type { OperatorsConfig } from './config.ts';

/** The built-in core tools that are for operators: no tool is registered when configurations are checked. */
export const FOR_OPERATORS =
  /^core_(config_\w+|mcpserver_(create|update|delete|detect)|service_(start|stop|restart)|workflow_(create|update|delete)|audit_verify|pins_(list|accept))$/;

/** Steps of workflows that do for everybody who may call the workflow what is for operators. Only with a sign-in: without one, the
 *  caller is the user of this machine. */
export function stepFindings({
  resources,
  settings,
}: ReviewFacts<OperatorsConfig>): readonly ReviewFinding[] {
  if (!needsSignIn(settings)) return [];
  return resources
    .filter(({ kind }) => kind === 'Workflow')
    .flatMap((resource) =>
      toolsIn(resource.spec, []).map(({ path, tool }) => ({
        resource,
        path,
        message: `${tool} is for operators, and every caller of workflow_${resource.name} runs it by this step; give the workflow to operators only (access), or take the step out`,
        severity: 'warning',
      })),
    );
}

interface Use {
  readonly path: readonly (string | number)[];
  readonly tool: string;
}

/** Every `tool` below a definition: steps may hold steps. */
function toolsIn(value: unknown, path: Use['path']): readonly Use[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => toolsIn(one, [...path, at]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const at = [...path, key];
    if (key === 'args') return [];
    if (key !== 'tool' || typeof member !== 'string') return toolsIn(member, at);
    return FOR_OPERATORS.test(member) ? [{ path: at, tool: member }] : [];
  });
}
