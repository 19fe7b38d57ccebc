import { STAGE, definePlugin, readSchema } from 'pegboard';
import { Toolsets } from '../contracts/toolsets.ts';
import { accessFindings } from '../kit/authority/accessFindings.ts';
import { toolsetFor } from '../kit/authority/toolsetFor.ts';
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
  apply(scope) {
    let narrowed = toolsetFor(scope.config.access);
    scope.tap(
      'onRequest',
      (request) => {
        const toolset = narrowed(request);
        if (toolset !== undefined) request.toolset = toolset;
        return undefined;
      },
      STAGE.narrow,
    );
    scope.onReload((next) => {
      narrowed = toolsetFor(next.access);
    });
  },
});
