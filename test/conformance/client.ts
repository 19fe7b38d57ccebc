/** The client that the suite runs: a gateway over the suite's server, and an agent that finds and calls its tools. */
import type { JsonObject } from '../../kernel/index.ts';
import { TalkingClient, toldIn } from '../support/talkingClient.ts';
import type { Heard } from '../support/talkingClient.ts';
import { gatewayOver } from './gateways.ts';

interface FoundTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

async function main(server: string): Promise<void> {
  const gateway = await gatewayOver(server);
  try {
    const client = await TalkingClient.connect(gateway.url(), { elicitation: { form: {} } });
    client.onAsked = (question) =>
      `"result":${JSON.stringify({ action: 'accept', content: defaultsIn(question) })}`;
    const asked = { include_schema: true, limit: 100, pattern: 'x_conf_*' };
    const params = { name: 'filter_tools', arguments: asked };
    const found = toldIn(await client.request('tools/call', params).answer());
    for (const { name, inputSchema } of (found as { readonly tools: readonly FoundTool[] }).tools)
      await client.call(name, argumentsFor(inputSchema)).answer();
    client.leave();
  } finally {
    await gateway.stop();
  }
}

/** The answer of a user who changes nothing. */
function defaultsIn({ params }: Heard): JsonObject {
  const { properties = {} } = (params?.['requestedSchema'] ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>;
  };
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.default]));
}

/** The scenarios ask for two numbers only. */
function argumentsFor({ required = [] }: JsonObject): JsonObject {
  return Object.fromEntries((required as readonly string[]).map((name, at) => [name, at + 2]));
}

await main(process.argv[2] ?? '');
