import { isOffer } from 'pegboard';
import type { DecisionLayer, InboundRequest, Item, Toolset, Verdict } from 'pegboard';
import { ADMIN } from '../kit/authority/adminPages.ts';
import type { ToolsetView } from '../contracts/toolsets.ts';
import { toolsetLinks } from '../kit/authority/toolsetLinks.ts';

const LAYER = 'toolset';

/** A resolved toolset with those that narrow it, or the refusal if one of them is invalid. */
type Judged =
  | { readonly invalid: Verdict; readonly links?: undefined }
  | {
      readonly invalid?: undefined;
      readonly links: readonly (readonly [Toolset, ToolsetView])[];
      readonly inside: Verdict;
    };

/** The toolset as a decision layer: listing, ranking, describing, calling and reading all use it. */
export function toolsetLayer(
  resolve: (selectors: readonly string[], request: InboundRequest) => ToolsetView,
): Required<DecisionLayer> {
  const judgedByToolset = new WeakMap<Toolset, Judged>();
  const judgedFor = (toolset: Toolset, request: InboundRequest): Judged => {
    const known = judgedByToolset.get(toolset);
    if (known !== undefined) return known;
    const judged = judgedNow(toolset, (selectors) => resolve(selectors, request));
    judgedByToolset.set(toolset, judged);
    return judged;
  };
  return {
    layer: LAYER,
    order: 50,
    judge: (name, item, request) => {
      const { toolset } = request;
      if (toolset === undefined) return undefined;
      const judged = judgedFor(toolset, request);
      if (judged.invalid !== undefined) return judged.invalid;
      if (item === undefined) return undefined;
      if (item.kind === 'meta') return META;
      // The last link is the one that the client controls least; changing a header cannot undo its refusal, so it is reported.
      const [outside] = judged.links.findLast(([, view]) => !view.includes(item)) ?? [];
      return outside === undefined ? judged.inside : refusedAsOutside(name, item, { toolset, outside });
    },
    basis: ({ toolset }) =>
      JSON.stringify(toolsetLinks(toolset).map(({ selectors, invalid }) => invalid ?? selectors)),
    // What a client leaves out itself it may learn of, and the admin pages explain what a person is refused.
    hides: (item, request) => {
      const { toolset } = request;
      if (toolset === undefined || item.kind === 'meta' || request.transport === ADMIN) return false;
      const { links = [] } = judgedFor(toolset, request);
      return links.some(([{ declaredBy }, view]) => declaredBy === undefined && !view.includes(item));
    },
  };
}

function judgedNow(toolset: Toolset, resolve: (selectors: readonly string[]) => ToolsetView): Judged {
  const links = toolsetLinks(toolset);
  const faulty = links.find(({ invalid }) => invalid !== undefined);
  if (faulty !== undefined) return { invalid: refusedAsInvalid(faulty) };
  const inside = allowed(`the toolset ${shown(toolset)} includes it`);
  return { links: links.map((link) => [link, resolve(link.selectors)]), inside };
}

const META = allowed('meta-tools are in every toolset');

function refusedAsInvalid({ invalid = '', declaredBy, selectors, remedy: own }: Toolset): Verdict {
  const remedies = {
    header: 'correct the header X-Service-Toolset, or leave it out',
    path: `connect to a path that names a preset, or to /mcp; this one names ${listed(selectors)}`,
    plugin: 'the operator can correct what a plugin sets for this caller',
  };
  const remedy = own ?? remedies[declaredBy ?? 'plugin'];
  return { layer: LAYER, allow: false, code: 'TOOL_TOOLSET_INVALID', reason: invalid, remedy };
}

interface Narrowing {
  readonly toolset: Toolset;
  /** The link that does not include the item. */
  readonly outside: Toolset;
}

function refusedAsOutside(name: string, item: Item, { toolset, outside }: Narrowing): Verdict {
  const { declaredBy, selectors, remedy: own } = outside;
  const group = isOffer(item) ? undefined : item.group;
  const which = group === undefined ? '' : ` of server ${item.server ?? ''}`;
  const what = isOffer(item) ? item.kind : 'tool';
  const selector = isOffer(item) ? `server:${item.server}` : `tool:${name}`;
  const reason = `${what} ${name}${which} is outside the toolset ${shown(toolset)}`;
  const remedies = {
    header: `add ${selector} to the header X-Service-Toolset, or leave it out`,
    path: `connect to another path than the one of ${listed(selectors)}`,
    plugin: `the operator can change the toolset ${listed(selectors)} of this caller`,
  };
  const remedy = own ?? remedies[declaredBy ?? 'plugin'];
  return { layer: LAYER, allow: false, code: 'TOOL_OUTSIDE_TOOLSET', reason, remedy };
}

function allowed(reason: string): Verdict {
  return { layer: LAYER, allow: true, reason };
}

function shown(toolset: Toolset): string {
  return toolsetLinks(toolset)
    .map(({ selectors }) => listed(selectors))
    .join(' within ');
}

function listed(selectors: readonly string[]): string {
  return `[${selectors.join(', ')}]`;
}
