import { GatewayError, isOffer } from 'pegboard';
import type { Item, Offer, Tool, Verdict } from 'pegboard';
import { compileGlob } from '../kit/text/glob.ts';
import type { Glob } from '../kit/text/glob.ts';
import { reachesOut } from '../kit/authority/authority.ts';
import type { DenyConfig } from './config.ts';

export interface Denials {
  judge(item: Item | undefined): Verdict | undefined;
  /** @throws GatewayError TOOL_DENIED */
  admit(tool: Tool): undefined;
}

/** Denials by the configuration. The verdict on a tool is cached, because whole catalogues are judged. */
export function denialsOf(config: DenyConfig): Denials {
  const servers = patternsOf(config.servers);
  const byName = { resource: patternsOf(config.resources), prompt: patternsOf(config.prompts), server: [] };
  const tools = patternsOf(config.tools);
  const excepted = config.except.map((pattern) => compileGlob(pattern));
  const known = new WeakMap<Tool, Verdict>();
  const reasonOfServer = (what: string, server: string | undefined): string | undefined => {
    const pattern = server === undefined ? undefined : firstMatch(servers, [server]);
    return pattern && `${what} belongs to server ${server ?? ''}, which is denied by the pattern ${pattern}`;
  };
  const reasonOfOffer = ({ kind, name, server }: Offer): string | undefined => {
    const pattern = firstMatch(byName[kind], [name]);
    if (pattern !== undefined) return `${kind} ${name} is denied by the pattern ${pattern}`;
    return reasonOfServer(`${kind} ${name}`, server);
  };
  const reasonOf = (tool: Tool): string | undefined => {
    const { name, group, annotations, server } = tool;
    // A rule may name the tool or the family's tool that represents it.
    const names = group === undefined ? [name] : [name, group.name];
    if (excepted.some((matches) => names.some(matches))) return undefined;
    const pattern = firstMatch(tools, names);
    if (pattern !== undefined) return `tool ${name} is denied by the pattern ${pattern}`;
    if (config.destructive && annotations?.destructiveHint === true)
      return `tool ${name} declares destructiveHint, and destructive tools are denied`;
    if (config.destructive && reachesOut(tool))
      return `tool ${name} starts programs or opens connections, and destructive tools are denied`;
    return reasonOfServer(`tool ${name}`, server);
  };
  const verdictOn = (tool: Tool): Verdict => {
    let verdict = known.get(tool);
    if (verdict === undefined) {
      verdict = toVerdict(reasonOf(tool));
      // Not cached: a workflow's hints depend on the tools of its steps.
      if (tool.kind !== 'workflow') known.set(tool, verdict);
    }
    return verdict;
  };
  return {
    judge: (item) => {
      if (item === undefined || item.kind === 'meta') return undefined;
      return isOffer(item) ? toVerdict(reasonOfOffer(item)) : verdictOn(item);
    },
    admit: (tool) => {
      if (tool.kind === 'meta') return undefined;
      const { allow, reason, remedy } = verdictOn(tool);
      if (!allow) throw new GatewayError('TOOL_DENIED', `${reason}; ${remedy ?? ''}`);
      return undefined;
    },
  };
}

type Patterns = readonly (readonly [string, Glob])[];

function patternsOf(patterns: readonly string[]): Patterns {
  return patterns.map((pattern) => [pattern, compileGlob(pattern)]);
}

/** The first pattern that any of the names matches. */
function firstMatch(patterns: Patterns, names: readonly string[]): string | undefined {
  return patterns.find(([, matches]) => names.some(matches))?.[0];
}

const ALLOWED: Verdict = { layer: 'deny', allow: true, reason: 'no pattern denies it' };

function toVerdict(reason: string | undefined): Verdict {
  if (reason === undefined) return ALLOWED;
  const remedy = 'the operator can change plugins.deny.config';
  return { layer: 'deny', allow: false, code: 'TOOL_DENIED', reason, remedy };
}
