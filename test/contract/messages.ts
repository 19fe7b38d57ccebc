import { definePlugin, GatewayError, STAGE, jsonResult, textResult } from 'pegboard';
import type { Call, JsonObject, Scope, Tool } from 'pegboard';

interface MessagesConfig {
  readonly refuse: 'nothing' | 'by throwing' | 'by answering';
}

/** Meta-tools for the transport contract, and a guard that refuses on demand. */
export const plugin = definePlugin<MessagesConfig>({
  name: 'contract-messages',
  api: 1,
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      refuse: {
        description: 'How requests are refused.',
        enum: ['nothing', 'by throwing', 'by answering'],
        default: 'nothing',
      },
    },
  },
  apply: wire,
});

function wire(scope: Scope<MessagesConfig>): void {
  let calls = 0;
  scope.addTool(metaTool('contract_echo', ({ text }) => textResult(String(text))));
  scope.addTool(metaTool('contract_count', () => textResult(String((calls += 1)))));
  scope.addTool(metaTool('contract_facts', (_, { request }) => jsonResult(factsOf(request))));
  scope.addTool(
    metaTool('contract_progress', (_, call) => {
      for (const progress of [1, 2]) call.progress?.({ progress, total: 2 });
      return textResult('done');
    }),
  );
  scope.tap(
    'onRequest',
    () => {
      const { refuse } = scope.config;
      if (refuse === 'nothing') return undefined;
      if (refuse === 'by answering') return { status: 403, body: { error: 'refused' } };
      throw new GatewayError('REQUEST_FORBIDDEN', 'refused');
    },
    STAGE.admit,
  );
  scope.onReload(() => undefined);
}

function metaTool(name: string, invoke: (args: JsonObject, call: Call) => ReturnType<Tool['invoke']>): Tool {
  return { name, kind: 'meta', description: name, inputSchema: { type: 'object' }, invoke };
}

function factsOf(request: Call['request']): JsonObject {
  const { transport, access } = request;
  return { transport, access, missing: request.header('x-contract-missing') ?? null };
}
