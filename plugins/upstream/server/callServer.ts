import type { CallResult } from 'pegboard';
import { rawMember } from '../../kit/text/rawJson.ts';
import { inSpan } from '../../kit/calls/inSpan.ts';
import type { Content, Tracer } from '../../contracts/tracing.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { ServerDefinition } from '../definition.ts';
import type { ServerFacts } from '../revision/serverFacts.ts';
import type { RequestOptions } from '../rpc/pending.ts';
import type { RpcText } from '../rpc/rpcText.ts';
import type { StandardError } from '../wire/standardError.ts';

export interface TracingParts {
  /** Undefined if nothing is traced. */
  readonly tracer: () => Tracer | undefined;
  readonly output: Pick<StandardError, 'redact'>;
}
interface Called {
  readonly server: {
    readonly name: string;
    readonly definition: ServerDefinition;
    readonly facts: ServerFacts | undefined;
    readonly conversation: Pick<Conversation, 'call'>;
  };
  readonly parts: TracingParts;
}

/** Sends a call to a server. If traces are exported, the server gets the trace as the span continues it. */
export function callServer(
  { server, parts }: Called,
  [what, text, options]: readonly [what: string, text: RpcText, options: RequestOptions],
): Promise<CallResult> {
  const tracer = parts.tracer();
  const { name, definition, facts, conversation } = server;
  if (tracer === undefined) return conversation.call(what, text, options);
  const span = tracer.begin(
    {
      type: 'server',
      server: name,
      method: text.method,
      target: text.name,
      url: definition.type === 'stdio' ? undefined : definition.url,
      revision: facts?.protocolVersion,
      content: contentOf(text, options, parts),
    },
    options.meta,
  );
  return inSpan(span, () => conversation.call(what, text, { ...options, meta: span.meta }));
}

function contentOf(
  { members }: RpcText,
  { call }: RequestOptions,
  { output }: TracingParts,
): Content | undefined {
  if (call === undefined) return undefined;
  return {
    call,
    args: () => rawMember(`{${members}}`, 'arguments'),
    hide: (text) => output.redact(text),
  };
}
