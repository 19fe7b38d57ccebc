import { messageOf } from 'pegboard';
import type { Configured, Issue, Resource, ReviewFacts, ReviewFinding } from 'pegboard';
import { toolFaultIn, toolNamesOf } from '../kit/definitions/toolNamesOf.ts';
import type { Named, ToolNames } from '../kit/definitions/toolNamesOf.ts';
import { writtenSecrets } from './writtenSecrets.ts';

type Given = Partial<Pick<ReviewFacts<unknown>, 'isOnline' | 'statePath'>>;

/** Finds what only the whole shows: references to nothing, tool names that hide one another, commands that cannot run. */
export async function review(configured: Configured, given: Given = {}): Promise<readonly Issue[]> {
  const named = toolNamesOf(configured);
  const all = { ...configured, ...given };
  const found = await Promise.all(configured.wanted.map((one) => reviewPlugin(one, named, all)));
  const written = writtenSecrets(configured);
  return [...shadowed(named, configured.tools), ...found.flat(), ...written, ...guardsOff(configured)];
}

/** Plugins without which callers may do more, switched off beside settings that would switch them on. */
function guardsOff({ off, settings, env, place }: Configured): readonly Issue[] {
  return off
    .filter((plugin) => {
      const isOff = settings.plugins[plugin.name] === false;
      return isOff && plugin.guards === true && plugin.enabled?.(settings, env) === true;
    })
    .map((plugin) =>
      place(plugin, {
        path: ['plugins', plugin.name],
        message: `plugins.${plugin.name} is false, so that its settings keep no caller out; remove the one or the other`,
        severity: 'warning',
      }),
    );
}

async function reviewPlugin(
  { plugin, config }: Configured['wanted'][number],
  named: readonly Named[],
  { settings, env, directory, resources, tools, place, isOnline = false, statePath }: Configured & Given,
): Promise<Issue[]> {
  const toolFault = (name: string): string | undefined => toolFaultIn(named, tools, name);
  try {
    const facts = { config, settings, env, directory, statePath, isOnline, resources, toolFault };
    const findings = (await plugin.review?.(facts)) ?? [];
    return findings.map((finding) =>
      finding.resource === undefined ? place(plugin, finding) : resourceIssue(finding, finding.resource),
    );
  } catch (error) {
    const message = `its review failed: ${messageOf(error)}`;
    return [place(plugin, { path: [], message })];
  }
}

/** Reports each pair once, on the definition that comes second. */
function shadowed(named: readonly Named[], tools: readonly string[]): readonly Issue[] {
  return named.flatMap(({ resource, names }, at) => {
    const taken = tools.find((name) => covers(names, { exact: name }));
    const other = named.slice(0, at).find((one) => covers(one.names, names) || covers(names, one.names));
    const message = (of: string): string =>
      `its tools ${wordsFor(names)} may hide those of ${of}; rename it or set toolPrefix`;
    const finding = (of: string): ReviewFinding => ({ path: [], message: message(of), severity: 'warning' });
    return [
      ...(taken === undefined ? [] : [resourceIssue(finding(`Pegboard (${taken})`), resource)]),
      ...(other === undefined
        ? []
        : [resourceIssue(finding(`${other.resource.kind} ${other.resource.name}`), resource)]),
    ];
  });
}

function covers(wide: ToolNames, narrow: ToolNames): boolean {
  const name = 'exact' in narrow ? narrow.exact : narrow.prefix;
  return 'exact' in wide ? wide.exact === name : name.startsWith(wide.prefix);
}

function wordsFor(names: ToolNames): string {
  return 'exact' in names ? names.exact : `${names.prefix}*`;
}

function resourceIssue(
  { path, message, severity = 'error' }: ReviewFinding,
  { kind, name, origin }: Resource,
): Issue {
  return {
    severity,
    code: 'CONFIG_REFERENCE',
    message: `${kind} ${name}: ${message}`,
    ...origin.locate(path),
  };
}
