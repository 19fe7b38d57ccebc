import { coreTool, definePlugin, structuredResult } from 'pegboard';
import type { Tool } from 'pegboard';
import { Budget } from './contract.js';
import { Ledger } from './ledger.js';

interface BudgetConfig {
  readonly callsPerDay: number;
}

export const plugin = definePlugin<BudgetConfig>({
  name: 'budget',
  api: 1,
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      callsPerDay: {
        description: 'How many calls a caller may make per day (UTC).',
        type: 'integer',
        minimum: 1,
        default: 1000,
      },
    },
  },
  provides: [Budget],
  apply(scope) {
    const ledger = new Ledger({
      limit: () => scope.config.callsPerDay,
      spent: (key) => scope.emit({ type: 'budget.spent', key, limit: scope.config.callsPerDay }),
    });
    scope.provide(Budget, ledger);
    scope.addTool(budgetTool(ledger, () => scope.config.callsPerDay));
    // A changed limit applies from the next call on, without a restart.
    scope.onReload(() => undefined);
  },
});

const ARGUMENTS = {
  type: 'object',
  additionalProperties: false,
  required: ['key'],
  properties: { key: { description: 'Whose budget: the key of a caller.', type: 'string' } },
};

function budgetTool(ledger: Ledger, limit: () => number): Tool {
  return coreTool({
    name: 'core_budget_get',
    description: 'Show how many calls a caller has left today',
    schema: ARGUMENTS,
    run: ({ key }: { readonly key: string }) =>
      structuredResult({ key, limit: limit(), left: ledger.left(key) }),
  });
}
