import { GatewayError, isObject, jsonResult, jsonText } from 'pegboard';
import type { Call, CallResult, InboundRequest, JsonObject, Scope, Tool } from 'pegboard';
import { firstAnswer } from '../../kit/calls/firstAnswer.ts';
import { unknownName } from '../../kit/faults/remedy.ts';
import { McpPromptSource } from '../../contracts/mcp.ts';
import { objectArgument, requiredText } from './arguments.ts';
import { listResult, callOptionsOf, retrievalError, textBeside } from './mcpResources.ts';
import { metaTool } from './metaTool.ts';

const NAME = { name: { type: 'string', description: 'From list_prompts' } };
const TOO_DEEP = '["omitted: nested too deeply for JSON text; see structuredContent"]';

export function listPrompts(scope: Scope<unknown>): Tool {
  return metaTool({
    name: 'list_prompts',
    description: 'List the MCP prompts of all servers.',
    run: (_args, { request }) => {
      const prompts = promptsFor(scope, request).map(({ name, description }) => ({
        name,
        description: description ?? '',
      }));
      return listResult('prompts', prompts);
    },
  });
}

export function describePrompt(scope: Scope<unknown>): Tool {
  return metaTool({
    name: 'describe_prompt',
    description: 'Show one prompt and its arguments.',
    properties: NAME,
    required: ['name'],
    run: (args, { request }) => {
      const name = requiredText(args, 'name');
      const found = promptsFor(scope, request).find((prompt) => prompt['name'] === name);
      if (found === undefined) throw notFound(scope, name, request);
      return jsonResult({ ...found, name, description: found['description'] ?? '' });
    },
  });
}

export function getPrompt(scope: Scope<unknown>): Tool {
  return metaTool({
    name: 'get_prompt',
    description: 'Fill in one prompt and return its messages.',
    properties: {
      ...NAME,
      arguments: { type: 'object', default: {}, description: 'As describe_prompt says' },
    },
    required: ['name'],
    run: (args, call) =>
      fill(scope, requiredText(args, 'name'), {
        values: textValues(objectArgument(args, 'arguments', 'describe_prompt names the arguments it takes')),
        call,
      }),
  });
}

interface Filling {
  readonly values: JsonObject;
  readonly call: Call;
}

async function fill(scope: Scope<unknown>, name: string, { values, call }: Filling): Promise<CallResult> {
  const options = callOptionsOf(call);
  const getting = firstAnswer(
    scope.all(McpPromptSource),
    (source) => source.get(name, values, call.request, options),
    () => notFound(scope, name, call.request),
  );
  const json = await getting.catch((error: unknown) => {
    throw retrievalError('prompt retrieval', error);
  });
  return messagesOf(json);
}

/** Returns the messages as content without binary data; structuredContent holds the complete answer. */
function messagesOf(json: string): CallResult {
  const { messages: given } = JSON.parse(json) as JsonObject;
  const messages = Array.isArray(given) ? (given as unknown[]) : [];
  const shown = messages
    .filter(isObject)
    .map(({ role, content }) => ({ role, content: withoutBytes(content) }));
  return textBeside(textOf(shown), json);
}

/** Serializes messages; only those that are nested too deeply are left out of the text. */
function textOf(messages: readonly unknown[]): string {
  const text = jsonText(messages, 2);
  if (text !== undefined) return text;
  return messages.length === 1 ? TOO_DEEP : `[${messages.map((one) => textOf([one]).slice(1, -1)).join()}]`;
}

function withoutBytes(content: unknown): unknown {
  if (!isObject(content) || typeof content['data'] !== 'string') return content;
  const { data, ...rest } = content;
  return { ...rest, dataSize: data.length };
}

/** MCP requires strings: scalars are converted to text, other values to JSON. */
function textValues(args: JsonObject): JsonObject {
  const entries = Object.entries(args).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

function promptsFor(scope: Scope<unknown>, request: InboundRequest): readonly JsonObject[] {
  return scope.all(McpPromptSource).flatMap((source) => source.prompts(request));
}

function notFound(scope: Scope<unknown>, name: string, request: InboundRequest): GatewayError {
  const known = promptsFor(scope, request).map((prompt) => String(prompt['name']));
  const unread = scope.all(McpPromptSource).flatMap((source) => source.unreadPrompts?.(name, request) ?? []);
  const text = [`prompt not found: ${name}`, ...unread].join('; ');
  return unknownName({ name, known, kind: 'prompts' }, 'PROMPT_NOT_FOUND', text);
}
