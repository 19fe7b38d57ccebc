/** The client that the suite runs: a gateway over the suite's server, and an agent that uses all that it finds there. */
import type { JsonObject } from '../../kernel/index.ts';
import { TalkingClient, toldIn } from '../support/talkingClient.ts';
import type { Heard } from '../support/talkingClient.ts';
import { gatewayOver } from './gateways.ts';
import { OWN, SIGN_IN, useSignedIn } from './signedInClient.ts';

/** Its server lists a tool and has no tools/call. */
const CANNOT_CALL = 'json-schema-ref-no-deref';
const ECHOED = `${OWN}json_schema_2020_12_tool`;

interface FoundTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
}
interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
}
const {
  MCP_CONFORMANCE_SCENARIO: scenario = '',
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision,
  MCP_CONFORMANCE_CONTEXT: context = '{}',
} = process.env;
/** The calls that the scenario prescribes, by the server's own names. */
const { toolCalls } = JSON.parse(context) as { readonly toolCalls?: readonly ToolCall[] };

async function main(server: string): Promise<void> {
  const gateway = await gatewayOver(server);
  try {
    const client = await TalkingClient.connect(gateway.url(), { elicitation: { form: {} } });
    client.onAsked = (question) =>
      `"result":${JSON.stringify({ action: 'accept', content: defaultsIn(question) })}`;
    await expectRevision(client);
    const calls =
      toolCalls?.map((call) => ({ ...call, name: OWN + call.name })) ?? (await callsOfAll(client));
    // All at once, so that what belongs to one call could reach another.
    await Promise.all(calls.map((call) => use(client, 'tools/call', viaCallTool(call))));
    for (const { uri } of await listed(client, 'resources')) await use(client, 'resources/read', { uri });
    for (const { name } of await listed(client, 'prompts')) await use(client, 'prompts/get', { name });
    client.leave();
  } finally {
    await gateway.stop();
  }
}

/** The gateway must have found out by itself which revision the server speaks. */
async function expectRevision(client: TalkingClient): Promise<void> {
  const { metadata } = (await client.told('core_service_status', { name: 'conf' })) as {
    readonly metadata: JsonObject;
  };
  if (metadata['protocolVersion'] !== revision)
    throw new Error(`the gateway speaks ${String(metadata['protocolVersion'])}, not ${revision}`);
}

async function callsOfAll(client: TalkingClient): Promise<readonly ToolCall[]> {
  const meta = async (name: string, args: JsonObject): Promise<unknown> =>
    toldIn(await use(client, 'tools/call', { name, arguments: args }));
  const asked = { limit: 100, pattern: `${OWN}*` };
  const { tools } = (await meta('filter_tools', asked)) as { readonly tools: readonly FoundTool[] };
  const described = tools.map(({ name }) => meta('describe_tool', { name }));
  const found = (await Promise.all(described)) as readonly FoundTool[];
  const echoed = found.find(({ name }) => name === ECHOED)?.inputSchema;
  return found.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(inputSchema, echoed) }));
}

/** @param object the value of arguments that are objects */
function argumentsFor({ required = [], properties = {} }: JsonObject, object: unknown): JsonObject {
  const types = properties as Readonly<Record<string, { readonly type?: string }>>;
  const valueOf = (name: string, at: number): unknown =>
    types[name]?.type === 'number' ? at + 2 : types[name]?.type === 'object' ? object : name;
  return Object.fromEntries((required as readonly string[]).map((name, at) => [name, valueOf(name, at)]));
}

function viaCallTool(call: ToolCall): JsonObject {
  return { name: 'call_tool', arguments: { ...call } };
}

async function listed(
  client: TalkingClient,
  what: 'resources' | 'prompts',
): Promise<readonly { readonly uri?: string; readonly name: string }[]> {
  const { result } = await use(client, `${what}/list`);
  return result?.[what] as Awaited<ReturnType<typeof listed>>;
}

/** A request that must succeed. */
async function use(client: TalkingClient, method: string, params: JsonObject = {}): Promise<Heard> {
  const answer = await client.request(method, params).answer();
  const isRefused = answer.result === undefined || answer.result['isError'] === true;
  const isExpected = scenario === CANNOT_CALL && params['name'] === 'call_tool';
  if (isRefused && !isExpected)
    throw new Error(`${method} ${JSON.stringify(params)} answered ${JSON.stringify(answer)}`);
  return answer;
}

/** The answer of a user who changes nothing. */
function defaultsIn({ params }: Heard): JsonObject {
  const { properties = {} } = (params?.['requestedSchema'] ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>;
  };
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.default]));
}

const server = process.argv[2] ?? '';
if (scenario.startsWith(SIGN_IN)) await useSignedIn(server, { scenario, context });
else await main(server);
