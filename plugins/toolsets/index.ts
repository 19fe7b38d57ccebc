import { ConfigControl, DecisionLayer, STAGE, ToolTable, definePlugin, readSchema } from 'pegboard';
import type { Resource, Scope } from 'pegboard';
import { Toolsets } from '../contracts/toolsets.ts';
import type { ToolsetView } from '../contracts/toolsets.ts';
import { definedAccess } from '../kit/authority/toolsetFor.ts';
import { toolFaultIn, toolNamesOf } from '../kit/definitions/toolNamesOf.ts';
import { setNewest } from '../kit/limits/setNewest.ts';
import { accessKind } from './accessKind.ts';
import { WITHOUT_ACCESS, definitionFindings } from './definitionFindings.ts';
import { presetReferences } from './presetReferences.ts';
import type { Facts } from './presetReferences.ts';
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
  review: (facts) => [...presetReferences(facts), ...definitionFindings(facts)],
  uses: [ConfigControl, ToolTable],
  provides: [Toolsets, DecisionLayer],
  kinds: [presetKind, accessKind],
  apply,
});

/** Lists of selectors that are kept compiled. */
const MAX_VIEWS = 64;

function apply(scope: Scope<ToolsetsConfig>): void {
  let { config } = scope;
  let presets = compilePresets(config);
  const definitions = (): readonly Resource[] => scope.find(ConfigControl)?.resources(presetKind.name) ?? [];
  const views = new Map<string, ToolsetView>();
  const resolve = (selectors: readonly string[]): ToolsetView => {
    const key = JSON.stringify(selectors);
    const view = views.get(key) ?? resolveSelectors(selectors, presets);
    setNewest(views, [key, view], MAX_VIEWS);
    return view;
  };

  scope.provide(Toolsets, {
    resolve,
    presets: () => presets.listed,
    onlyReads: ({ toolset }) => onlyReads(toolset),
    draft: (asked) => draftPresets(asked, { definitions: definitions(), ...factsNow(scope) }),
  });
  let layer = toolsetLayer(resolve);
  let version = 0;
  scope.provide(DecisionLayer, {
    ...layer,
    judge: (...asked) => layer.judge(...asked),
    basis: (request) => `${version} ${layer.basis(request) ?? ''}`,
    hides: (...asked) => layer.hides(...asked),
  });
  scope.tap('onRequest', (request) => narrow(request, resolve), STAGE.narrow);
  const renew = (): void => {
    presets = compilePresets(withDefined(config, definitions()));
    views.clear();
    // Requests of standing streams live long: they must not keep what a former preset selected.
    layer = toolsetLayer(resolve);
    version += 1;
  };
  const warn = (): void => {
    const control = scope.find(ConfigControl);
    if (definedAccess(control).length > 0 && control?.settings()['access'] === undefined)
      scope.log.warn(WITHOUT_ACCESS);
  };
  scope.onStart(() => {
    renew();
    warn();
  });
  scope.tap('onConfigApply', ({ added, changed, removed }) => {
    const kinds = new Set([...added, ...changed, ...removed].map(({ kind }) => kind));
    if (kinds.has(presetKind.name)) renew();
    if (kinds.has(accessKind.name)) warn();
  });
  scope.onReload((next) => {
    config = next;
    renew();
  });
}

/** What a review would know, of what is in force. */
function factsNow(scope: Scope<unknown>): Facts {
  const control = scope.get(ConfigControl);
  const table = scope.get(ToolTable);
  const kinds = control.kinds();
  const resources = kinds.flatMap(({ name }) => control.resources(name));
  const named = toolNamesOf({ resources, kinds, settings: control.settings() });
  const toolFault = (name: string): string | undefined =>
    table.shared(name) === undefined ? toolFaultIn(named, [], name) : undefined;
  return { resources, toolFault };
}
