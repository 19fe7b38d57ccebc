import type { DecisionLayer, InboundRequest, Tool, Toolset, Verdict } from 'pegboard';
import type { ToolsetView } from './contract.ts';

const LAYER = 'toolset';

interface Judged {
  readonly views: readonly ToolsetView[];
  readonly inside: Verdict;
}

/** The toolset's say in the one decision: listing, ranking, describing and calling ask it alike. */
export function toolsetLayer(
  resolve: (selectors: readonly string[], request: InboundRequest) => ToolsetView,
): DecisionLayer {
  const judgedByToolset = new WeakMap<Toolset, Judged>();
  const judgedFor = (toolset: Toolset, request: InboundRequest): Judged => {
    let judged = judgedByToolset.get(toolset);
    if (judged === undefined) {
      judged = {
        views: [toolset.selectors, toolset.within ?? toolset.selectors].map((one) => resolve(one, request)),
        inside: allowed(`the toolset ${shown(toolset)} holds it`),
      };
      judgedByToolset.set(toolset, judged);
    }
    return judged;
  };
  return {
    layer: LAYER,
    order: 50,
    judge: (name, tool, request) => {
      const { toolset } = request;
      if (toolset === undefined) return undefined;
      if (toolset.invalid !== undefined) return refusedAsInvalid(toolset.invalid);
      if (tool === undefined) return undefined;
      if (tool.kind === 'meta') return META;
      const { views, inside } = judgedFor(toolset, request);
      return views.every((view) => view.includes(tool)) ? inside : refusedAsOutside(name, tool, toolset);
    },
  };
}

const META = allowed('meta-tools are in every toolset');

function refusedAsInvalid(reason: string): Verdict {
  const remedy = 'correct the header X-Service-Toolset or the path, or leave it out';
  return { layer: LAYER, allow: false, code: 'TOOL_TOOLSET_INVALID', reason, remedy };
}

function refusedAsOutside(name: string, { group, server }: Tool, toolset: Toolset): Verdict {
  const which = group === undefined ? '' : ` of server ${server ?? ''}`;
  const reason = `tool ${name}${which} is outside the toolset ${shown(toolset)}`;
  const remedy = `add tool:${name} to the header X-Service-Toolset, or leave it out`;
  return { layer: LAYER, allow: false, code: 'TOOL_OUTSIDE_TOOLSET', reason, remedy };
}

function allowed(reason: string): Verdict {
  return { layer: LAYER, allow: true, reason };
}

function shown({ selectors, within }: Toolset): string {
  return within === undefined ? listed(selectors) : `${listed(selectors)} within ${listed(within)}`;
}

function listed(selectors: readonly string[]): string {
  return `[${selectors.join(', ')}]`;
}
