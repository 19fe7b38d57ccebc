import { ConfigControl, DecisionLayer, STAGE, definePlugin, readSchema } from 'pegboard';
import type { Resource, Scope } from 'pegboard';
import { Toolsets } from '../contracts/toolsets.ts';
import type { ToolsetView } from '../contracts/toolsets.ts';
import { presetReferences } from './presetReferences.ts';
import type { ToolsetsConfig } from './config.ts';
import { presetFindings } from './presetFindings.ts';
import { toolsetLayer } from './toolsetLayer.ts';
import { draftPresets } from './draftPresets.ts';
import { narrow } from './narrow.ts';
import { onlyReads } from './onlyReads.ts';
import { presetKind, withDefined } from './presetKind.ts';
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
  uses: [ConfigControl],
  provides: [Toolsets, DecisionLayer],
  kinds: [presetKind],
  apply,
});

function apply(scope: Scope<ToolsetsConfig>): void {
  let { config } = scope;
  let presets = compilePresets(config);
  const definitions = (): readonly Resource[] => scope.find(ConfigControl)?.resources(presetKind.name) ?? [];
  const resolve = (selectors: readonly string[]): ToolsetView => resolveSelectors(selectors, presets);

  scope.provide(Toolsets, {
    resolve,
    presets: () => presets.listed,
    onlyReads: ({ toolset }) => onlyReads(toolset),
    draft: (asked) => draftPresets(asked, definitions()),
  });
  let layer = toolsetLayer(resolve);
  scope.provide(DecisionLayer, {
    ...layer,
    judge: (...asked) => layer.judge(...asked),
    hides: (...asked) => layer.hides(...asked),
  });
  scope.tap('onRequest', (request) => narrow(request, resolve), STAGE.narrow);
  const renew = (): void => {
    presets = compilePresets(withDefined(config, definitions()));
    // Requests of standing streams live long: they must not keep what a former preset selected.
    layer = toolsetLayer(resolve);
  };
  scope.onStart(renew);
  scope.tap('onConfigApply', ({ added, changed, removed }) => {
    if ([...added, ...changed, ...removed].some(({ kind }) => kind === presetKind.name)) renew();
  });
  scope.onReload((next) => {
    config = next;
    renew();
  });
}
