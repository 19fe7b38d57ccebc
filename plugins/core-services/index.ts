import { ConfigControl, ToolTable, definePlugin, readSchema } from 'pegboard';
import { GuardedServers } from '../contracts/credentials.ts';
import { HttpListener } from '../contracts/http.ts';
import { Operators } from '../contracts/operators.ts';
import { AggregatorFacts, ServiceSource } from '../contracts/services.ts';
import { WorkerLine } from '../contracts/processes.ts';
import { SignInStatuses } from '../contracts/signIns.ts';
import { aggregatorService } from './aggregatorService.ts';
import { serviceTools } from './serviceTools.ts';

export const plugin = definePlugin({
  name: 'core-services',
  api: 1,
  configSchema: readSchema('nothing'),
  requires: [ConfigControl, ToolTable],
  uses: [Operators],
  asks: [AggregatorFacts, GuardedServers, HttpListener, SignInStatuses, WorkerLine],
  provides: [ServiceSource],
  apply(scope) {
    scope.provide(ServiceSource, { services: () => [aggregatorService(scope)] });
    for (const tool of serviceTools(scope)) scope.addTool(tool);
  },
});
