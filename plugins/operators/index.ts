import { DecisionLayer, definePlugin, readSchema } from 'pegboard';
import { AuthorizationServer } from '../contracts/oauth.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import { Operators } from '../contracts/operators.ts';
import { Authorities } from './authorities.ts';
import type { IsOwnSignIn } from './authorities.ts';
import type { OperatorsConfig } from './config.ts';
import { unaskedEvent, withConfirmation } from './confirmation.ts';
import type { ConfirmationParts } from './confirmation.ts';
import { operatorFindings } from './operatorFindings.ts';
import { stepFindings } from './stepFindings.ts';
import { operatorsLayer } from './operatorsLayer.ts';

/** Says who may operate and define the gateway; core tools that take more are out of sight. */
export const plugin = definePlugin<OperatorsConfig>({
  name: 'operators',
  api: 1,
  configSchema: readSchema('config/operators'),
  select: ({ operators = {}, access = [] }) => ({ operators, access }),
  guards: true,
  // Not the ResourceStore, which needs services that need operators: it is looked up at each decision.
  uses: [AuthorizationServer],
  asks: [ResourceStore],
  provides: [DecisionLayer, Operators],
  check: operatorFindings,
  review: stepFindings,
  apply(scope) {
    const isOwnSignIn: IsOwnSignIn = (caller) =>
      scope.all(AuthorizationServer).every((server) => server.isOwnSignIn(caller));
    let { local } = scope.config.operators;
    let authorities = new Authorities(scope.config, isOwnSignIn);
    const operators: Operators = { authorityOf: (request) => authorities.of(request) };
    scope.provide(Operators, operators);
    scope.provide(
      DecisionLayer,
      operatorsLayer(operators, () =>
        scope.all(ResourceStore).some(({ judgesWriters }) => judgesWriters === true),
      ),
    );
    const confirmation: ConfirmationParts = {
      local: () => local,
      log: scope.log,
      unasked: (asked) => scope.emit(unaskedEvent(asked)),
    };
    // In the tools and not around all calls, which then cost nothing.
    scope.tap('onToolRegister', (tool) => withConfirmation(tool, confirmation));
    scope.onReload((next) => {
      ({ local } = next.operators);
      authorities = new Authorities(next, isOwnSignIn);
    });
  },
});
