import type { CallResult } from 'pegboard';
import { rawMember } from '../../kit/text/rawJson.ts';
import { inSpan } from '../../kit/calls/inSpan.ts';
import type { Content, Tracer } from '../../contracts/tracing.ts';
import type { Conversation } from '../client/conversation/conversation.ts';
import type { ServerDefinition } from '../definition.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';
import type { RequestOptions } from '../client/rpc/pending.ts';
import type { RpcText } from '../client/rpc/rpcText.ts';

interface Called {
  readonly name: string;
  readonly definition: ServerDefinition;
  readonly facts: ServerFacts | undefined;
  readonly conversation: Pick<Conversation, 'call' | 'redact'>;
}

/** Sends a call to a server. If traces are exported, the server gets the trace as the span continues it.
 *  @param tracer undefined if nothing is traced */
export function callTraced(
  { name, definition, facts, conversation }: Called,
  tracer: Tracer | undefined,
  [what, text, options]: readonly [what: string, text: RpcText, options: RequestOptions],
): Promise<CallResult> {
  if (tracer === undefined) return conversation.call(what, text, options);
  const span = tracer.begin(
    {
      type: 'server',
      server: name,
      method: text.method,
      target: text.name,
      url: definition.type === 'stdio' ? undefined : definition.url,
      revision: facts?.protocolVersion,
      content: contentOf(text, options, conversation),
    },
    options.meta,
  );
  return inSpan(span, () =>
    conversation.call(what, text, { ...options, meta: span.meta, sentAs: span.sentAs }),
  );
}

function contentOf(
  { members }: RpcText,
  { call }: RequestOptions,
  conversation: Called['conversation'],
): Content | undefined {
  if (call === undefined) return undefined;
  return {
    call,
    args: () => rawMember(`{${members}}`, 'arguments'),
    hide: (text) => conversation.redact(text),
  };
}
