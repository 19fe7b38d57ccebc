import { GatewayError, isObject } from 'pegboard';
import type { JsonObject, Target, Tool, ToolAnnotations, Verdict } from 'pegboard';
import { argumentFault } from './argumentFault.ts';
import { PARTS, widened, withTrust } from './fingerprint.ts';
import type { PinKind } from './fingerprint.ts';
import type { Matter } from './sight.ts';

export const LAYER = 'pins';
/** What is done about a matter. */
export type Held = 'warned' | 'held' | 'blocked';

/** A matter, what is done about it, and the accepted version if that is offered instead. */
export interface Judgement {
  readonly matter: Matter;
  readonly held: Held;
  readonly accepted?: JsonObject;
}
/** @returns undefined for a tool that is as it was accepted */
export type JudgeTool = (tool: Tool) => Judgement | undefined;

/** The tool as it may be offered: with the hints and, if it is held, the declaration that were accepted. A tool without a matter is
 *  returned itself. @param told receives the verdict on each declaration that is replaced */
export function judgedTool(
  tool: Tool,
  judge: JudgeTool,
  told: (declared: JsonObject, verdict: Verdict) => void,
): Tool {
  if (tool.members !== undefined) return judgedFamily(tool, tool.members, judge, told);
  const judgement = judge(tool);
  if (judgement === undefined) return tool;
  const { matter, held, accepted } = judgement;
  const { declared: now = {} } = tool;
  const shown = accepted === undefined ? now : heldDeclaration('tools', now, accepted);
  const { annotations } = shown;
  const given = isObject(annotations) ? annotations : {};
  const hints = { annotations: withTrust(given, matter.trust & matter.accepted) };
  const declared: JsonObject = { ...shown, ...hints };
  told(declared, verdictOn(tool.name, judgement));
  return {
    ...tool,
    declared,
    description: textIn(declared['description']),
    inputSchema: (accepted === undefined ? tool.inputSchema : declared['inputSchema']) as JsonObject,
    ...hints,
    invoke: (args, call) => {
      // Steps of a workflow bypass the decision layers.
      if (held === 'blocked') throw blockedError(tool.name, judgement);
      const fault = accepted && argumentFault(accepted['inputSchema'], tool.inputSchema, args);
      if (fault === undefined) return tool.invoke(args, call);
      const text = `tool ${tool.name} has changed at its server, and these arguments do not fit both what was accepted and what it declares now: ${fault}`;
      throw new GatewayError('TOOL_PIN_HELD', `${text}; ${remedyFor(tool.name)}`);
    },
  };
}

function judgedFamily(
  tool: Tool,
  members: readonly Tool[],
  judge: JudgeTool,
  told: (declared: JsonObject, verdict: Verdict) => void,
): Tool {
  const judged = new Map(members.map((member) => [member, judgedTool(member, judge, told)]));
  const changed = [...judged].filter(([member, one]) => member !== one).map(([, one]) => one);
  if (changed.length === 0) return tool;
  const resolve = (args: JsonObject): Target => {
    const target = tool.resolve?.(args) ?? { tool, args };
    return { ...target, tool: judged.get(target.tool) ?? target.tool };
  };
  // What one member may not be trusted with, all are not.
  const hints = changed.reduce(
    (all, one) => withStricter(all, one.annotations ?? {}),
    tool.annotations ?? {},
  );
  return {
    ...tool,
    annotations: hints,
    members: [...judged.values()],
    resolve,
    invoke: (args, call) => {
      const target = resolve(args);
      return target.tool.invoke(target.args, call);
    },
  };
}
function withStricter(one: ToolAnnotations, other: ToolAnnotations): ToolAnnotations {
  return {
    ...one,
    ...(one.readOnlyHint === true && { readOnlyHint: other.readOnlyHint === true }),
    ...(one.destructiveHint === false && { destructiveHint: other.destructiveHint !== false }),
    ...(other.destructiveHint === true && { destructiveHint: true }),
    ...(one.openWorldHint === false && { openWorldHint: other.openWorldHint !== false }),
    ...(one.idempotentHint === true && { idempotentHint: other.idempotentHint === true }),
  };
}

/** What is not pinned, as icons, is as the server declares it now. */
export function heldDeclaration(kind: PinKind, declared: JsonObject, accepted: JsonObject): JsonObject {
  const pinnedParts: readonly string[] = PARTS[kind];
  const others = Object.entries(declared).filter(([part]) => !pinnedParts.includes(part));
  return { ...accepted, ...Object.fromEntries(others) };
}

const WORDS: Readonly<Record<Matter['doubt'], string>> = {
  changed: 'its server declares it otherwise than it was accepted',
  new: 'it is new, and what is new waits for an operator (plugins.pins.config.pinFirst)',
  moved: 'another server had this name when it was accepted',
  refused: 'an operator has refused what its server declares',
  beyond: 'its server declares more than is pinned (plugins.pins.config.maxPins)',
  unread: 'what was accepted of it could not be read yet',
};
const DOINGS: Readonly<Record<Held, string>> = {
  warned: 'it is offered as it is now',
  held: 'it is offered as it was accepted',
  blocked: 'it is out until an operator accepts it',
};

/** What is done about a matter, and why; of hints, only those that wait. */
export function doingIn({ matter, held }: Judgement): string {
  const hints = widened(matter.trust, matter.accepted);
  const waiting = hints.length === 0 ? '' : `; until it is accepted, ${hints.join(', ')} counts for nothing`;
  return `${WORDS[matter.doubt]}: ${DOINGS[held]}${waiting}`;
}

export function remedyFor(name: string): string {
  return `an operator can look at it with pegboard pins diff ${name} and accept it`;
}

export function verdictOn(name: string, judgement: Judgement): Verdict {
  const reason = doingIn(judgement);
  if (judgement.held !== 'blocked') return { layer: LAYER, allow: true, reason };
  return { layer: LAYER, allow: false, code: 'TOOL_PIN_BLOCKED', reason, remedy: remedyFor(name) };
}
function blockedError(name: string, judgement: Judgement): GatewayError {
  return new GatewayError('TOOL_PIN_BLOCKED', `tool ${name}: ${doingIn(judgement)}; ${remedyFor(name)}`);
}
function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
