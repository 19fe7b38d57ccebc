import type { ConfigControl, InboundRequest, Toolset } from 'pegboard';
import { setNewest } from '../limits/setNewest.ts';
import { groupsOf, isOfIssuer } from './authority.ts';

/** An entry of `access`. */
export interface AccessRule {
  readonly groups: readonly string[];
  readonly toolset: readonly string[];
  readonly issuer?: string;
}

/** The definitions that add to `access`. @param control undefined: there are none */
export function definedAccess(control: Pick<ConfigControl, 'resources'> | undefined): readonly AccessRule[] {
  return (control?.resources(ACCESS) ?? []).map(({ model }) => model as AccessRule);
}
/** The kind of such a definition. */
export const ACCESS = 'Access';

/** The group of every caller that has signed in. */
export const EVERY_CALLER = '*';

/** @returns the toolset that the entries give a request; undefined: all tools */
export type ToolsetFor = (
  request: Pick<InboundRequest, 'caller' | 'transport' | 'access'>,
) => Toolset | undefined;

/** All entries that name a group of the caller apply together. */
export function toolsetFor(entries: readonly AccessRule[]): ToolsetFor {
  // One object for callers of the same entries, because the toolset layer compiles each object once.
  const known = new Map<string, Toolset>();
  return ({ caller, transport, access }) => {
    if (access === 'public') return undefined;
    // On standard input and output the caller is the local user, who could change config.yaml as well.
    if (caller === undefined) return transport === 'stdio' ? undefined : NOT_SIGNED_IN;
    const groups = groupsOf(caller);
    const matching = entries.filter(
      (entry) =>
        isOfIssuer(entry, caller) &&
        entry.groups.some((group) => group === EVERY_CALLER || groups.includes(group)),
    );
    if (matching.length === 0) return noEntry(groups.length);
    const key = matching.map((entry) => entries.indexOf(entry)).join();
    const toolset = known.get(key) ?? unionOf(matching);
    setNewest(known, [key, toolset], MAX_KNOWN);
    return toolset;
  };
}

/** Bound on combinations of entries that are kept compiled. */
const MAX_KNOWN = 1_000;

function unionOf(entries: readonly AccessRule[]): Toolset {
  const selectors = [...new Set(entries.flatMap(({ toolset }) => toolset))];
  return {
    selectors,
    remedy: 'the operator can add it to an entry of access in config.yaml that names a group of this caller',
  };
}

const NOTHING = ['preset:none'];
const NOT_SIGNED_IN: Toolset = {
  selectors: NOTHING,
  invalid: 'access in config.yaml gives tools to groups of callers, and this caller has not signed in',
  remedy: 'sign in',
};

/** Says how many groups the caller has, and not which: the names may be confidential. */
function noEntry(count: number): Toolset {
  const groups = `${count} group${count === 1 ? '' : 's'}`;
  return {
    selectors: NOTHING,
    invalid: `no entry of access in config.yaml names a group of this caller, who has ${groups}`,
    remedy: 'the operator can add one of the groups to an entry',
  };
}
