import { GatewayError, compileGlob } from 'pegboard';
import type { Tool, Verdict } from 'pegboard';
import type { DenyConfig } from './config.ts';

export interface Denials {
  judge(name: string, tool: Tool | undefined): Verdict | undefined;
  /** @throws GatewayError TOOL_DENIED */
  admit(tool: Tool): undefined;
}

/** What the configuration denies. A verdict is made once per tool: catalogues are judged as a whole. */
export function denialsOf({ tools, destructive, except }: DenyConfig): Denials {
  const denied = tools.map((pattern) => [pattern, compileGlob(pattern)] as const);
  const excepted = except.map((pattern) => compileGlob(pattern));
  const known = new WeakMap<Tool, Verdict>();
  const reasonOf = ({ name, group, annotations }: Tool): string | undefined => {
    // A rule may name the one tool or the one that stands for it.
    const names = group === undefined ? [name] : [name, group.name];
    if (excepted.some((matches) => names.some(matches))) return undefined;
    const [pattern] = denied.find(([, matches]) => names.some(matches)) ?? [];
    if (pattern !== undefined) return `tool ${name} is denied by the pattern ${pattern}`;
    const isDestructive = destructive && annotations?.destructiveHint === true;
    return isDestructive ? `tool ${name} says that it is destructive, and such tools are denied` : undefined;
  };
  const verdictOn = (tool: Tool): Verdict => {
    let verdict = known.get(tool);
    if (verdict === undefined) {
      verdict = toVerdict(reasonOf(tool));
      // A workflow's hints follow its steps.
      if (tool.kind !== 'workflow') known.set(tool, verdict);
    }
    return verdict;
  };
  return {
    judge: (_, tool) => (tool === undefined || tool.kind === 'meta' ? undefined : verdictOn(tool)),
    admit: (tool) => {
      if (tool.kind === 'meta') return undefined;
      const { allow, reason, remedy } = verdictOn(tool);
      if (!allow) throw new GatewayError('TOOL_DENIED', `${reason}; ${remedy ?? ''}`);
      return undefined;
    },
  };
}

const ALLOWED: Verdict = { layer: 'deny', allow: true, reason: 'no pattern denies it' };

function toVerdict(reason: string | undefined): Verdict {
  if (reason === undefined) return ALLOWED;
  const remedy = 'the operator can change plugins.deny.config';
  return { layer: 'deny', allow: false, code: 'TOOL_DENIED', reason, remedy };
}
