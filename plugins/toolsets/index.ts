import { DecisionLayer, STAGE, definePlugin, readSchema } from 'pegboard';
import type { Scope } from 'pegboard';
import { Toolsets } from '../contracts/toolsets.ts';
import type { ToolsetView } from '../contracts/toolsets.ts';
import { presetReferences } from './presetReferences.ts';
import type { ToolsetsConfig } from './config.ts';
import { presetFindings } from './presetFindings.ts';
import { toolsetLayer } from './toolsetLayer.ts';
import { draftPresets } from './draftPresets.ts';
import { narrow } from './narrow.ts';
import { onlyReads } from './onlyReads.ts';
import { compilePresets } from './presets.ts';
import { resolveSelectors } from './selectors.ts';

/** Narrows what a request sees and may call; resolves selectors and presets. */
export const plugin = definePlugin<ToolsetsConfig>({
  name: 'toolsets',
  api: 1,
  configSchema: readSchema('config/toolsets'),
  select: ({ toolsetPresets }) => ({ toolsetPresets }),
  check: presetFindings,
  review: presetReferences,
  provides: [Toolsets, DecisionLayer],
  apply,
});

function apply(scope: Scope<ToolsetsConfig>): void {
  let presets = compilePresets(scope.config);
  const resolve = (selectors: readonly string[]): ToolsetView => resolveSelectors(selectors, presets);

  scope.provide(Toolsets, {
    resolve,
    presets: () => presets.listed,
    onlyReads: ({ toolset }) => onlyReads(toolset),
    draft: draftPresets,
  });
  let layer = toolsetLayer(resolve);
  scope.provide(DecisionLayer, {
    ...layer,
    judge: (...asked) => layer.judge(...asked),
    hides: (...asked) => layer.hides(...asked),
  });
  scope.tap('onRequest', (request) => narrow(request, resolve), STAGE.narrow);
  scope.onReload((next) => {
    presets = compilePresets(next);
    // Requests of standing streams live long: they must not keep what a former preset selected.
    layer = toolsetLayer(resolve);
  });
}
