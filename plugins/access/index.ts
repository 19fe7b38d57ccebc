import { ConfigControl, STAGE, definePlugin, readSchema } from 'pegboard';
import { Toolsets } from '../contracts/toolsets.ts';
import { accessFindings } from '../kit/authority/accessFindings.ts';
import { ACCESS, definedAccess, toolsetFor } from '../kit/authority/toolsetFor.ts';
import type { AccessConfig } from './config.ts';

/** Narrows what callers see by their groups, whatever toolset they declare. */
export const plugin = definePlugin<AccessConfig>({
  name: 'access',
  api: 1,
  configSchema: readSchema('config/access'),
  select: ({ access }) => ({ access }),
  enabled: ({ access }) => access !== undefined,
  check: ({ access }, { toolsetPresets }) => accessFindings(access, Object.keys(toolsetPresets)),
  // Without it the toolset on a request would have no effect.
  requires: [Toolsets],
  uses: [ConfigControl],
  apply(scope) {
    let { access } = scope.config;
    let narrowed = toolsetFor(access);
    const renew = (): void => {
      narrowed = toolsetFor([...access, ...definedAccess(scope.find(ConfigControl))]);
    };
    scope.tap(
      'onRequest',
      (request) => {
        const toolset = narrowed(request);
        if (toolset !== undefined) request.toolset = toolset;
        return undefined;
      },
      STAGE.narrow,
    );
    scope.onStart(renew);
    scope.tap('onConfigApply', ({ added, changed, removed }) => {
      if ([...added, ...changed, ...removed].some(({ kind }) => kind === ACCESS)) renew();
    });
    scope.onReload((next) => {
      ({ access } = next);
      renew();
    });
  },
});
