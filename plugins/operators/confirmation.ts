import { GatewayError, holdsUnprintable, isObject } from 'pegboard';
import type { Call, KernelEvent, Log, Tool } from 'pegboard';
import { ADMIN } from '../kit/authority/adminPages.ts';
import { CLIENT_HEADER } from '../contracts/operators.ts';
import { authorityTaken } from '../kit/authority/authority.ts';
import type { OperatorsSection } from './config.ts';

const COMMAND_LINE = 'cli';
/** A person does not read more, and what stands behind it must not be confirmed unread. */
const MAX_SHOWN = 4_000;
const OTHER_WAYS =
  'write the definition as a file, use the command line (pegboard add, pegboard create), or set operators.local: define in config.yaml';

export interface ConfirmationParts {
  readonly local: () => OperatorsSection['local'];
  readonly log: Log;
  /** Says that the call was not confirmed, because its client cannot ask. */
  readonly unasked: (call: Call) => void;
}

/** The tool, which asks the person at the client first if an agent changes the gateway by it; other tools as they are. */
export function withConfirmation(tool: Tool, parts: ConfirmationParts): Tool {
  if (authorityTaken(tool) !== 'define') return tool;
  return {
    ...tool,
    invoke: async (args, call) => {
      await confirm(call, parts);
      return tool.invoke(args, call);
    },
  };
}

/** @throws GatewayError TOOL_FORBIDDEN, TOOL_CANCELLED */
async function confirm(call: Call, { local, log, unasked }: ConfirmationParts): Promise<void> {
  if (!isOfAgent(call) || local() === 'define') return;
  if (canShow(call)) return ask(call);
  const { name, confirmed } = call.tool;
  if (local() === 'ask' || confirmed !== undefined)
    throw refused(call.tool, 'the client cannot ask the person at it first');
  log.warn('an agent changes the gateway, and its client cannot ask first', { tool: name });
  unasked(call);
}

/** Names the server or workflow that the call is about, so that core_events shows it. */
export function unaskedEvent({
  tool: { name: tool },
  args: { name },
}: Call): KernelEvent<'operators.unasked'> {
  const about =
    typeof name !== 'string' ? {} : tool.includes('workflow') ? { workflow: name } : { server: name };
  const message = `changed by ${tool} of an agent whose client cannot ask first`;
  return {
    type: 'operators.unasked',
    reason: 'ChangedUnasked',
    message,
    severity: 'Warning',
    tool,
    ...about,
  };
}

/** Whether no person is known to have made the call: operators who have signed in are named, and decide what their agents may do. */
function isOfAgent({ request }: Call): boolean {
  const { caller, transport } = request;
  return caller === undefined && transport !== ADMIN && request.header(CLIENT_HEADER) !== COMMAND_LINE;
}

/** Source: MCP 2025-11-25, Elicitation: a client that declares no mode supports forms. */
function canShow({ client }: Call): boolean {
  const declared = client?.capabilities['elicitation'];
  return isObject(declared) && ('form' in declared || Object.keys(declared).length === 0);
}

async function ask({ tool, args, client, cancel }: Call): Promise<void> {
  const shown = [JSON.stringify(args, null, 2), tool.confirmed?.show(args) ?? ''].join('\n').trim();
  // Of control characters JSON shows escapes; these would look like something else.
  if (holdsUnprintable(shown.replaceAll('\n', '')))
    throw refused(tool, 'its arguments hold invisible characters');
  if (shown.length > MAX_SHOWN) throw refused(tool, 'what it would do is too long to be confirmed');
  const message = `An agent wants to change this gateway by ${tool.name}:\n${shown}\nShall it be done?`;
  const params = JSON.stringify({ message, requestedSchema: { type: 'object', properties: {} } });
  const answer = await client?.ask({ method: 'elicitation/create', params }, cancel);
  const said: unknown = JSON.parse(answer?.json ?? 'null');
  if (answer?.kind === 'result' && isObject(said) && said['action'] === 'accept') return;
  if (answer?.kind === 'error') throw refused(tool, 'the client answered the question with an error');
  throw new GatewayError(
    'TOOL_FORBIDDEN',
    `the person at the client has not agreed to ${tool.name}; do not try again unless asked`,
  );
}

function refused({ name, confirmed }: Tool, why: string): GatewayError {
  const text = `tool ${name} changes this gateway, and ${why}; ${confirmed?.otherWays ?? OTHER_WAYS}`;
  return new GatewayError('TOOL_FORBIDDEN', text);
}
