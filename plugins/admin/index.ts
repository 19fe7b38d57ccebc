import { CallPath, ConfigControl, RequestGate, ToolTable, definePlugin, readSchema } from 'pegboard';
import { AdminPage } from '../contracts/adminPages.ts';
import { CallHistory } from '../contracts/callHistory.ts';
import { WorkerLine } from '../contracts/processes.ts';
import { WorkflowRuns } from '../contracts/runs.ts';
import { AuthorizationServer, ClientSource, PageSignIn, SignInList } from '../contracts/oauth.ts';
import { Operators } from '../contracts/operators.ts';
import { SignInStatuses } from '../contracts/signIns.ts';
import { SessionList } from '../contracts/sessions.ts';
import { ServiceSource } from '../contracts/services.ts';
import { CallSecrets, References } from '../contracts/secrets.ts';
import { GrantStore, GuardedServers } from '../contracts/credentials.ts';
import { ConfigOrigins, SettingsStore } from '../contracts/settings.ts';
import { Toolsets } from '../contracts/toolsets.ts';
import { MemoryBudget } from '../contracts/memory.ts';
import { HttpListener } from '../contracts/http.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import type { AdminConfig } from './config.ts';
import { configFindings } from './configFindings.ts';

/** Pages for the operator, on a listener of their own. Not loaded while it is off. */
export const plugin = definePlugin<AdminConfig>({
  name: 'admin',
  api: 1,
  edge: true,
  configSchema: readSchema('config/admin'),
  select: ({ aggregator }) => ({ aggregator: { admin: aggregator['admin'] ?? {} } }),
  enabled: ({ aggregator }) =>
    (aggregator['admin'] as { readonly enabled?: unknown } | undefined)?.enabled === true,
  requires: [CallPath, ConfigControl, RequestGate, ToolTable],
  uses: [CallHistory, ConfigOrigins, GrantStore, MemoryBudget, ResourceStore],
  asks: [
    AdminPage,
    AuthorizationServer,
    CallSecrets,
    GuardedServers,
    HttpListener,
    Operators,
    PageSignIn,
    References,
    ServiceSource,
    SessionList,
    SignInList,
    SettingsStore,
    SignInStatuses,
    Toolsets,
    WorkerLine,
    WorkflowRuns,
  ],
  provides: [ClientSource],
  check: configFindings,
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
