import { ToolTable } from 'pegboard';
import type { Call, CallResult, InboundRequest, JsonObject, Scope, Tool } from 'pegboard';
import { Toolsets } from '../../contracts/toolsets.ts';
import type { Turns } from '../../kit/limits/turns.ts';
import { GuardedServers } from '../../contracts/credentials.ts';
import { SignInOffers } from '../../contracts/signIns.ts';
import { overBudget } from '../results/overBudget.ts';
import type { MetatoolsConfig } from '../config.ts';
import { enveloped, envelopedError } from '../results/envelope.ts';
import type { TrimmedSchemaOf } from '../entry/trimmedSchemaOf.ts';
import type { InWorker } from '../results/inWorker.ts';
import type { ResultStore } from '../results/resultStore.ts';
import { hasJsonText, objectArgument, requiredText, withListsRead } from './arguments.ts';
import { alwaysLoad } from './clientHints.ts';
import { insideCall } from './insideCall.ts';
import { isReader, maybeError, mendedAnswer, runReader, understood, withSchema } from './mend.ts';
import type { FailedCall } from './mend.ts';
import { metaTool } from './metaTool.ts';
import type { StillStarting } from './stillStarting.ts';

const CALL_TOOL = 'call_tool';

/** Annotations for a request whose toolset allows only tools with readOnlyHint. */
const ONLY_READING = { readOnlyHint: true, idempotentHint: false, openWorldHint: true };

function onlyReads(scope: Scope<unknown>, request: InboundRequest): boolean {
  return scope.all(Toolsets).some((toolsets) => toolsets.onlyReads(request));
}

export interface CallParts {
  readonly store: ResultStore;
  readonly turns: Turns;
  readonly worker: InWorker;
  readonly starting: StillStarting;
  readonly trimmedSchemaOf: TrimmedSchemaOf;
}

/** The hot path; envelope and budget cost nothing while they are off, and what mends a wrong call nothing for a right one. */
export function callTool(scope: Scope<MetatoolsConfig>, parts: CallParts): Tool {
  const { starting, trimmedSchemaOf, ...kept } = parts;
  const mending = { scope, trimmedSchemaOf };
  const { store } = kept;
  const shape = (result: CallResult, call: Call): CallResult | Promise<CallResult> =>
    scope.config.resultBudget === 0 ? result : overBudget(result, { scope, call, ...kept });
  const answer = (name: string, given: JsonObject, call: Call): Promise<CallResult> => {
    const tool = scope.get(ToolTable).find(name, call.request);
    const failed = (): FailedCall => ({ name, args: given, call });
    if (tool?.kind === 'meta' && isReader(tool)) return runReader(tool.name, given, { scope, call });
    const args = hasJsonText(given) ? readFor(tool, given) : given;
    const ready = tool === undefined ? starting.forTool(name, call) : undefined;
    const pending =
      ready === undefined
        ? call.child(name, args)
        : ready.then(() => signInFirst(scope, name, call)).then(() => call.child(name, args));
    return pending.then(
      (result) => shape(maybeError(result) ? withSchema(result, failed(), mending) : result, call),
      (error: unknown) => mendedAnswer(error, failed(), mending),
    );
  };
  return metaTool({
    name: CALL_TOOL,
    description:
      'Run a tool by its exact name, with its arguments in arguments. This is the only way to run what filter_tools shows.',
    properties: {
      name: { type: 'string', description: 'Exact name' },
      arguments: {
        type: 'object',
        default: {},
        description: "As the tool's inputSchema says",
      },
    },
    required: ['name'],
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    listed: (request) => ({
      ...(onlyReads(scope, request) && { annotations: ONLY_READING }),
      ...alwaysLoad(scope.config),
    }),
    run: (args, call) => {
      store.used(call.request);
      const name = requiredText(args, 'name');
      const given = objectArgument(args, 'arguments', 'describe_tool shows the fields it takes');
      const inside =
        given['arguments'] === undefined && name !== CALL_TOOL
          ? undefined
          : insideCall(name, given, scope.get(ToolTable).find(name, call.request));
      const shown =
        inside === undefined
          ? answer(name, given, call)
          : answer(inside.name, inside.args, call).then((result) => understood(result, inside.said));
      return scope.config.callToolEnvelope === 'native' ? shown : shown.then(enveloped);
    },
    failed: (error, meta) =>
      scope.config.callToolEnvelope === 'native' ? undefined : envelopedError(error, scope.log, meta),
  });
}

/** What a tool of a server is sent is between it and the client. */
function readFor(tool: Tool | undefined, args: JsonObject): JsonObject {
  return tool === undefined || tool.kind === 'tool' ? args : withListsRead(args, tool);
}

/** Connects the server of a tool that is not known for the caller, or offers the sign-in that this takes. */
async function signInFirst(
  scope: Scope<unknown>,
  name: string,
  { request, client, cancel }: Pick<Call, 'request' | 'client' | 'cancel'>,
): Promise<void> {
  const server = await scope.find(GuardedServers)?.lockedBehind(name, request);
  if (server !== undefined) await scope.find(SignInOffers)?.offer(server, request, { client, cancel });
}
