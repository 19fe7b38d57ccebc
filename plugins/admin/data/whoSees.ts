import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  ANYONE,
  ConfigControl,
  GatewayError,
  ToolTable,
  findingsIn,
  isObject,
  readSchema,
  readYaml,
} from 'pegboard';
import type { Caller, Finding, InboundRequest, Scope, Tool, Toolset } from 'pegboard';
import { Toolsets } from '../../contracts/toolsets.ts';
import type { DraftPresets } from '../../contracts/toolsets.ts';
import { accessFindings } from '../../kit/authority/accessFindings.ts';
import { isOfIssuer } from '../../kit/authority/authority.ts';
import { EVERY_CALLER, definedAccess, toolsetFor } from '../../kit/authority/toolsetFor.ts';
import type { AccessRule } from '../../kit/authority/toolsetFor.ts';
import { toolsetLinks } from '../../kit/authority/toolsetLinks.ts';
import { counted, shown } from '../../kit/pages/words.ts';
import { yamlOf } from './draft.ts';
import { lineDiff } from './lineDiff.ts';
import type { DiffLine } from './lineDiff.ts';

/** The keys of config.yaml that say who sees what. */
const KEYS = ['toolsetPresets', 'access'] as const;
type Sections = { readonly [key in (typeof KEYS)[number]]?: unknown };
const MAX_NAMED = 5;
const OFF =
  'plugins.access is false, so access has no effect: every caller sees every tool that no other rule keeps back';

/** What an operator has made of these keys. */
export interface RulesDraft {
  readonly text: string;
  /** What is in force, as the form shows it. */
  readonly stored: string;
  /** Faults for which it cannot be written. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** What it gives to more people than a group; each is a sentence. */
  readonly opens: readonly string[];
  readonly diff: readonly DiffLine[];
  /** What others have changed since the form was opened. */
  readonly meanwhile: readonly DiffLine[];
  /** A hash of the text, what is in force, and what it opens: what is written must be what was shown. */
  readonly digest: string;
}
/** A draft with what is needed to judge by it and to write it. */
export interface Rules extends RulesDraft {
  /** The whole config.yaml in force. */
  readonly inForce: string;
  readonly before: Sections;
  readonly after: Sections;
  readonly presets: DraftPresets;
  /** Undefined: there are no rules, or their plugin is off, so everyone sees everything. */
  readonly access: readonly AccessRule[] | undefined;
}
/** A tool, and whether one person sees it. */
export interface SeenTool {
  readonly name: string;
  readonly server?: string;
  /** Whether it is seen by what is in force. */
  readonly now: boolean;
  /** Whether it would be seen by the draft. */
  readonly then: boolean;
  readonly reason: string;
}

/** The two keys of config.yaml in force as YAML. */
export function rulesText(scope: Scope<unknown>): string {
  return textOf(sectionsIn(scope));
}

/** @param base what the form showed before; without it, no change of others is looked for @throws GatewayError PLUGIN_MISSING */
export function rulesOf(
  scope: Scope<unknown>,
  { text, base }: { readonly text: string; readonly base?: string },
): Rules {
  const before = sectionsIn(scope);
  const stored = textOf(before);
  const toolsets = scope.find(Toolsets);
  if (toolsets === undefined)
    throw new GatewayError('PLUGIN_MISSING', 'there are no toolsets here; switch on the plugin toolsets');
  const { sections: after, errors: unread } = sectionsOf(text);
  const { access } = after;
  const presets = toolsets.draft(after.toolsetPresets ?? {});
  const misfits = access === undefined ? [] : findingsIn(readSchema('config/access'), { access });
  const rules = access === undefined || misfits.length > 0 ? undefined : (access as readonly AccessRule[]);
  const isOff = scope.get(ConfigControl).settings().plugins['access'] === false;
  const own = isObject(after.toolsetPresets) ? Object.keys(after.toolsetPresets) : [];
  const found = [...presets.faults, ...misfits, ...(rules === undefined ? [] : accessFindings(rules, own))];
  const isWarning = ({ severity }: Finding): boolean => severity === 'warning';
  const errors = [...unread, ...found.filter((one) => !isWarning(one)).map(({ message }) => message)];
  const draft = {
    text,
    stored,
    errors,
    warnings: [
      ...found.filter(isWarning).map(({ message }) => message),
      ...(isOff && access !== undefined ? [OFF] : []),
      ...waits(scope, before, after),
    ],
    diff: errors.length > 0 || stored === textOf(after) ? [] : lineDiff(stored, textOf(after)),
    meanwhile: base === undefined || base === stored ? [] : lineDiff(base, stored),
    before,
    after,
    presets,
    access: isOff ? undefined : rules && [...rules, ...definedAccess(scope.get(ConfigControl))],
    inForce: scope.get(ConfigControl).text,
  };
  const opens = draft.diff.length === 0 ? [] : openedBy(scope, draft);
  const shownFacts = JSON.stringify([text, stored, opens]);
  return { ...draft, opens, digest: createHash('sha256').update(shownFacts).digest('base64url') };
}

/** The tools that a person could see by all other rules, those first whose answer changes.
 *  @param request as the gate has narrowed it, by what is in force */
export function toolsSeen(
  scope: Scope<unknown>,
  rules: Pick<Rules, 'presets' | 'access'>,
  { request, declared }: { readonly request: InboundRequest; readonly declared: string },
): readonly SeenTool[] {
  const table = scope.get(ToolTable);
  const then = { ...request, toolset: toolsetBy(scope, rules, { request, declared }) };
  const tools = table.visibleTo({ ...request, toolset: undefined }).map((tool): SeenTool => {
    const { allow, reason } = rules.presets.judge(tool, then) ?? NOT_NARROWED;
    const now = table.refusal(tool.name, tool, request) === undefined;
    return { name: tool.name, ...serverOf(tool), now, then: allow, reason };
  });
  return [
    ...tools.filter(({ now, then: next }) => now !== next),
    ...tools.filter((one) => one.now === one.then),
  ];
}

const NOT_NARROWED = { allow: true, reason: 'no toolset narrows this caller' };

function serverOf({ server }: Tool): { readonly server?: string } {
  return server === undefined ? {} : { server };
}

/** The toolset that a request would have: what other plugins have set stays. */
function toolsetBy(
  scope: Scope<unknown>,
  { presets, access }: Pick<Rules, 'presets' | 'access'>,
  { request, declared }: { readonly request: InboundRequest; readonly declared: string },
): Toolset | undefined {
  const inForce = accessIn(scope);
  const own = inForce && toolsetFor(inForce)(request);
  const others = toolsetLinks(request.toolset).filter(
    ({ declaredBy, selectors, invalid }) =>
      declaredBy === undefined && !(invalid === own?.invalid && isDeepStrictEqual(selectors, own?.selectors)),
  );
  const given = access && toolsetFor(access)(request);
  const all = [
    ...(declared === '' ? [] : [presets.declared(declared)]),
    ...(given ? [given] : []),
    ...others,
  ];
  return all.reduceRight<Toolset | undefined>(
    (within, one) => ({ ...one, ...(within && { within }) }),
    undefined,
  );
}

/** What callers get who have not signed in, and those who have, with any groups or none. */
function openedBy(scope: Scope<unknown>, rules: Omit<Rules, 'opens' | 'digest'>): readonly string[] {
  if (accessIn(scope) !== undefined && rules.access === undefined)
    return [
      'Without access, every caller sees every tool that no other rule keeps back, also one who has not signed in.',
    ];
  const issuers = new Set((rules.access ?? []).map(({ issuer }) => issuer));
  const anyone = [undefined, ...[...issuers].filter((one) => one !== undefined)].map((issuer) => ({
    words: `Every person who has signed in${issuer === undefined ? '' : ` at ${shown(issuer)}`}`,
    caller: { subject: '', claims: {}, ...(issuer !== undefined && { issuer }) },
  }));
  return anyone.flatMap(({ words, caller }) => {
    const asked = { ...ANYONE, caller };
    const inForce = accessIn(scope);
    const request = { ...asked, toolset: inForce && toolsetFor(inForce)(asked) };
    const more = toolsSeen(scope, rules, { request, declared: '' }).filter(({ now, then }) => then && !now);
    const then = reachOf(asked.caller, rules.access ?? [], rules.after);
    const added = inForce ? newReach(reachOf(asked.caller, inForce, rules.before), then) : [];
    if (more.length + added.length === 0) return [];
    const tools =
      more.length === 0
        ? 'no tool more now'
        : `${counted(more.length, 'tool')} more: ${listed(more.map(({ name }) => name))}`;
    const later = added.length === 0 ? '' : `; now and later, all that is selected by ${listed(added)}`;
    return [`${words} would see ${tools}${later}.`];
  });
}

function listed(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMED).map((name) => shown(name, 60));
  return `${first.join(', ')}${names.length > MAX_NAMED ? ' and others' : ''}`;
}

interface Reach {
  readonly selects: ReadonlySet<string>;
  readonly excludes: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What everyone may select then, and not now: servers may offer tools later that they do not offer now. */
function newReach(now: Reach, then: Reach): readonly string[] {
  if (now.selects.has('preset:full')) return [];
  const given = [...then.excludes].flatMap(([preset, rules]) =>
    [...(now.excludes.get(preset) ?? [])]
      .filter((rule) => !rules.has(rule))
      .map((rule) => `preset:${preset} without its exclude ${rule}`),
  );
  return [...[...then.selects].filter((one) => !now.selects.has(one)), ...given];
}

/** The selectors of the entries for everyone, with the rules of presets that they lead to. */
function reachOf(caller: Caller, access: readonly AccessRule[], { toolsetPresets }: Sections): Reach {
  const presets = isObject(toolsetPresets) ? toolsetPresets : {};
  const selects = new Set<string>();
  const excludes = new Map<string, Set<string>>();
  const follow = (name: string): void => {
    const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
    if (!isObject(preset) || excludes.has(name)) return;
    excludes.set(name, new Set(rulesIn(preset['exclude']).map((rule) => JSON.stringify(rule))));
    for (const rule of rulesIn(preset['include'])) {
      selects.add(`${JSON.stringify(rule)} of preset:${name}`);
      if (isObject(rule) && typeof rule['preset'] === 'string') follow(rule['preset']);
    }
  };
  const isForAll = (one: AccessRule): boolean => one.groups.includes(EVERY_CALLER) && isOfIssuer(one, caller);
  for (const selector of access.filter(isForAll).flatMap(({ toolset }) => toolset)) {
    selects.add(selector);
    if (selector.startsWith('preset:')) follow(selector.slice('preset:'.length));
  }
  return { selects, excludes };
}

function rulesIn(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/** Undefined too while the plugin does not run that narrows by them. */
function accessIn(scope: Scope<unknown>): readonly AccessRule[] | undefined {
  const control = scope.get(ConfigControl);
  if (!Object.hasOwn(control.configSchemas(), 'access')) return undefined;
  const access = control.settings()['access'] as readonly AccessRule[] | undefined;
  return access && [...access, ...definedAccess(control)];
}

/** What waits for a start, because the configuration says that no live edit may change it. */
function waits(scope: Scope<unknown>, before: Sections, after: Sections): readonly string[] {
  const { required } = scope.get(ConfigControl).settings();
  const owners = { toolsetPresets: 'toolsets', access: 'access' };
  return KEYS.filter(
    (key) => required.includes(owners[key]) && !isDeepStrictEqual(before[key], after[key]),
  ).map((key) => `required names ${owners[key]}: what you change in ${key} takes effect at the next start`);
}

/** The keys as config.yaml in force has them. */
function sectionsIn(scope: Scope<unknown>): Sections {
  const { value } = readYaml(scope.get(ConfigControl).text, 'config.yaml');
  const { toolsetPresets, access } = isObject(value) ? value : {};
  return { toolsetPresets, access };
}

function sectionsOf(text: string): { readonly sections: Sections; readonly errors: readonly string[] } {
  const { value, issues } = readYaml(text, 'rules');
  const faults = issues.map(
    ({ message, line = 1, column = 1 }) => `line ${line}, column ${column}: ${message}`,
  );
  const content = value ?? {};
  if (faults.length > 0) return { sections: {}, errors: faults };
  if (!isObject(content))
    return { sections: {}, errors: [`write ${KEYS.join(': and ')}: with what belongs below them`] };
  const others = Object.keys(content).filter((key) => !KEYS.some((known) => known === key));
  const errors = others.map((key) => `unknown key ${JSON.stringify(key)}; known here: ${KEYS.join(', ')}`);
  const { toolsetPresets, access } = content;
  return { sections: { toolsetPresets: toolsetPresets ?? undefined, access: access ?? undefined }, errors };
}

function textOf(sections: Sections): string {
  const given = KEYS.filter((key) => sections[key] !== undefined && sections[key] !== null);
  if (given.length === 0) return '';
  return yamlOf(Object.fromEntries(given.map((key) => [key, sections[key]])));
}

/** The text with a preset of that server's tools, called as the server is; itself if there is one. */
export function withServerPreset(text: string, server: string): string {
  const { sections } = sectionsOf(text);
  const presets = isObject(sections.toolsetPresets) ? sections.toolsetPresets : {};
  if (Object.hasOwn(presets, server)) return text;
  const preset = { description: `Tools of ${server}`, include: [{ server }] };
  return textOf({ ...sections, toolsetPresets: { ...presets, [server]: preset } });
}
