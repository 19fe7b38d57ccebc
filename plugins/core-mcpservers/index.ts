import { ConfigControl, definePlugin, readSchema } from 'pegboard';
import { SignInFinder, SignInStatuses } from '../contracts/signIns.ts';
import { ServiceSource } from '../contracts/services.ts';
import { Prober } from '../contracts/servers.ts';
import { References } from '../contracts/secrets.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import { McpResourceSource } from '../contracts/mcp.ts';
import { serverFindings } from './serverFindings.ts';
import { AuthStatus } from './authStatus.ts';
import type { McpServersConfig } from './config.ts';
import { detectTool } from './detectTool.ts';
import { mcpServerKind } from './mcpServerKind.ts';
import { readTools } from './readTools.ts';
import { writeTools } from './writeTools.ts';

export const plugin = definePlugin<McpServersConfig>({
  name: 'core-mcpservers',
  api: 1,
  configSchema: readSchema('config/core-mcpservers'),
  requires: [ConfigControl, ResourceStore],
  uses: [References],
  asks: [Prober, ServiceSource, SignInFinder, SignInStatuses],
  provides: [McpResourceSource],
  kinds: [mcpServerKind],
  review: serverFindings,
  apply(scope) {
    for (const tool of [...readTools(scope), detectTool(scope), ...writeTools(scope)]) scope.addTool(tool);
    const status = new AuthStatus(scope);
    scope.provide(McpResourceSource, status);
    scope.tap('onEvent', (event) => status.hear(event));
    scope.onReload(() => undefined);
  },
});
