import { ConfigControl, RequestGate, STAGE, ToolTable, definePlugin, readSchema } from 'pegboard';
import { AuthorizationServer } from '../contracts/oauth.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import { Vault } from '../contracts/vault.ts';
import { People } from './people.ts';
import { WorkflowWriters } from './workflowWriters.ts';

/** Steps of a workflow that a person has written through a tool do what that person may do now, and no more. */
export const plugin = definePlugin({
  name: 'writers',
  api: 1,
  keeps: 'what the people who wrote workflows may do',
  configSchema: readSchema('nothing'),
  requires: [ConfigControl, RequestGate, ToolTable],
  uses: [AuthorizationServer, ResourceStore, Vault],
  apply(scope) {
    const people = new People(scope);
    const writers = new WorkflowWriters(scope, people);
    scope.tap('onRequest', (request) => people.identify(request), STAGE.identify);
    scope.tap('onRequest', (request) => people.seen(request), STAGE.normal);
    scope.tap('onCall', (call) => writers.admit(call), STAGE.admit);
    scope.onStart(() => people.load());
  },
});
