import type { JsonObject } from '../../kernel/index.ts';

/** A tool as a client offers it to the model. */
export interface Offered {
  readonly name: string;
  /** Its namespace in the OpenAI Responses API. */
  readonly namespace?: string;
  /** The whole entry. */
  readonly entry: JsonObject;
}
/** One turn of the model: a text, or one call. */
export type Turn =
  { readonly text: string } | { readonly id: string; readonly tool: Offered; readonly args: JsonObject };

/** The part of a provider's protocol that a scripted model needs. */
export interface Dialect {
  /** Matches requests for one more turn. */
  readonly path: RegExp;
  toolsOf(body: JsonObject): readonly Offered[];
  /** Text of each result of a call, in order. */
  resultsOf(body: JsonObject): readonly string[];
  /** Data of the events of a streamed answer. */
  eventsOf(turn: Turn): readonly JsonObject[];
  /** The answer in one piece, for a client that did not ask for a stream. */
  wholeOf?(turn: Turn): JsonObject;
}

/** Source: Anthropic Messages API, streaming. */
export const MESSAGES: Dialect = {
  path: /\/v1\/messages$/,
  toolsOf: (body) => list(body['tools']).map((entry) => ({ name: text(entry['name']), entry })),
  resultsOf: (body) =>
    list(body['messages'])
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === 'tool_result')
      .map((part) => JSON.stringify(part)),
  eventsOf: (turn) => {
    const whole = message(turn);
    const [block = {}] = list(whole['content']);
    const start = 'text' in turn ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta =
      'text' in turn
        ? { type: 'text_delta', text: turn.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(turn.args) };
    return [
      { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: whole['stop_reason'] }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
  },
  wholeOf: message,
};

function message(turn: Turn): JsonObject {
  const block =
    'text' in turn
      ? { type: 'text', text: turn.text }
      : { type: 'tool_use', id: turn.id, name: turn.tool.name, input: turn.args };
  return {
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [block],
    stop_reason: 'text' in turn ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

/** Source: OpenAI Responses API, streaming. Tools may be in namespaces. */
export const RESPONSES: Dialect = {
  path: /\/v1\/responses$/,
  toolsOf: (body) =>
    list(body['tools']).flatMap((entry): readonly Offered[] => {
      if (entry['type'] !== 'namespace') return [{ name: text(entry['name']), entry }];
      const namespace = text(entry['name']);
      return list(entry['tools']).map((one) => ({ name: text(one['name']), namespace, entry: one }));
    }),
  resultsOf: (body) =>
    list(body['input'])
      .filter(({ type }) => type === 'function_call_output')
      .map((item) => JSON.stringify(item)),
  eventsOf: (turn) => {
    const item =
      'text' in turn
        ? { type: 'message', role: 'assistant', id: 'm', content: [{ type: 'output_text', text: turn.text }] }
        : {
            type: 'function_call',
            call_id: turn.id,
            name: turn.tool.name,
            ...(turn.tool.namespace !== undefined && { namespace: turn.tool.namespace }),
            arguments: JSON.stringify(turn.args),
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      { type: 'response.created', response: { id: 'resp_scripted' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'resp_scripted', usage } },
    ];
  },
};

/** Source: Gemini API, generateContent and streamGenerateContent. */
export const GENERATE_CONTENT: Dialect = {
  path: /:(streamG|g)enerateContent$/,
  toolsOf: (body) =>
    list(body['tools'])
      .flatMap(({ functionDeclarations }) => list(functionDeclarations))
      .map((entry) => ({ name: text(entry['name']), entry })),
  resultsOf: (body) =>
    list(body['contents'])
      .flatMap(({ parts }) => list(parts))
      .filter((part) => 'functionResponse' in part)
      .map((part) => JSON.stringify(part)),
  eventsOf: (turn) => [candidate(turn)],
  wholeOf: candidate,
};

function candidate(turn: Turn): JsonObject {
  const part =
    'text' in turn
      ? { text: turn.text }
      : { functionCall: { id: turn.id, name: turn.tool.name, args: turn.args } };
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}
function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
