import type { JsonObject } from '../../kernel/contracts/json.ts';
import type { Tool, ToolResult } from '../../kernel/contracts/call.ts';
import type { Gateway } from './gateway.ts';
import { requestOf } from './requests.ts';

let lastEntry = 0;

/** Calls a core tool through the real call path: tools other than meta-tools are reachable only from one.
 *  @throws GatewayError as the tool throws it */
export async function callCore(
  { kernel }: Pick<Gateway, 'kernel'>,
  name: string,
  args: JsonObject = {},
): Promise<ToolResult> {
  lastEntry += 1;
  const entry: Tool = {
    name: `test_entry_${lastEntry}`,
    kind: 'meta',
    description: `Calls ${name}`,
    inputSchema: { type: 'object' },
    invoke: (_, call) => call.child(name, args),
  };
  const remove = kernel.catalogue.add('test', entry);
  try {
    return (await kernel.calls.call(entry.name, {}, requestOf())).value();
  } finally {
    remove();
  }
}

/** The parsed JSON of a core tool's one text item. */
export async function askCore(gateway: Gateway, name: string, args: JsonObject = {}): Promise<JsonObject> {
  return answerIn(await callCore(gateway, name, args));
}

export function answerIn({ content }: ToolResult): JsonObject {
  return JSON.parse(String(content[0]?.['text'])) as JsonObject;
}
