import { findingsIn, readSchema } from 'pegboard';
import type { InboundRequest, Item, Resource, Verdict } from 'pegboard';
import type { DraftPresets } from '../contracts/toolsets.ts';
import type { ToolsetsConfig } from './config.ts';
import { checked } from './narrow.ts';
import { presetFindings } from './presetFindings.ts';
import { withDefined } from './presetKind.ts';
import { presetReferences } from './presetReferences.ts';
import type { Facts } from './presetReferences.ts';
import { compilePresets } from './presets.ts';
import { resolveSelectors, splitHeader } from './selectors.ts';
import { toolsetLayer } from './toolsetLayer.ts';

/** Presets of a draft, checked and compiled as those in force are. With faults, none of them is there. */
export function draftPresets(
  toolsetPresets: unknown,
  { definitions, ...facts }: Facts & { readonly definitions: readonly Resource[] },
): DraftPresets {
  const config = { toolsetPresets: structuredClone(toolsetPresets) };
  const misfits = findingsIn(readSchema('config/toolsets'), config);
  const faults = misfits.length > 0 ? misfits : presetFindings(config as ToolsetsConfig);
  const idle = faults.length > 0 ? [] : presetReferences({ config: config as ToolsetsConfig, ...facts });
  const own = faults.length > 0 ? { toolsetPresets: {} } : (config as ToolsetsConfig);
  const presets = compilePresets(withDefined(own, definitions));
  const layer = toolsetLayer((selectors) => resolveSelectors(selectors, presets));
  const judge = (item: Item, request: InboundRequest): Verdict | undefined => {
    if (item.members === undefined) return layer.judge(item.name, item, request);
    const verdicts = item.members.map((member) => layer.judge(item.name, member, request));
    return verdicts.find((verdict) => verdict?.allow !== false) ?? verdicts[0];
  };
  return {
    faults: [...faults, ...idle],
    declared: (header) =>
      checked({ selectors: splitHeader(header), declaredBy: 'header' }, (selectors) =>
        resolveSelectors(selectors, presets),
      ),
    judge,
  };
}
