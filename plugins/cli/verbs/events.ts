import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Gateway } from '../gateway.ts';
import { asText, printList } from '../output/print.ts';
import type { Column } from '../output/print.ts';
import { verb } from '../verb.ts';

interface Own {
  readonly resourceType?: string;
  readonly resourceName?: string;
  readonly type?: string;
  readonly reason?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
  readonly follow?: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  server: 'MCPServer',
  mcpserver: 'MCPServer',
  workflow: 'Workflow',
};
const COLUMNS: readonly Column[] = [
  { title: 'time', value: 'timestamp' },
  { title: 'type', value: 'type' },
  { title: 'reason', value: 'reason' },
  { title: 'name', value: 'resource_name' },
  { title: 'message', value: 'message' },
];

export const events = verb({
  name: 'events',
  summary: 'what happened to servers and workflows',
  options: [
    { flags: '-f, --follow', description: 'go on with later events until Ctrl-C' },
    { flags: '--resource-type <kind>', description: 'only these', choices: Object.keys(TYPES) },
    { flags: '--resource-name <name>', description: 'only of this server or workflow' },
    { flags: '--type <type>', description: 'only these', choices: ['Normal', 'Warning'] },
    { flags: '--reason <reason>', description: 'only with this reason, such as MCPServerFailed' },
    { flags: '--since <time>', description: '1h30m (that long ago), RFC 3339, or a date' },
    { flags: '--until <time>', description: 'as --since' },
    { flags: '--limit <number>', description: 'how many, from the newest', default: '50' },
  ],
  examples: ['pegboard events --type Warning --since 1h', 'pegboard events -f -o json'],
  run: (invocation) =>
    Gateway.apart(invocation, async (gateway) => {
      const { follow } = optionsOf<Own>(invocation);
      const late: JsonObject[] = [];
      let print = (event: JsonObject): void => void late.push(event);
      gateway.client.fallbackNotificationHandler = (said) => {
        if (said.method === 'notifications/service/event' && isObject(said.params)) print(said.params);
        return Promise.resolve();
      };
      const answer = await gateway.readCore('core_events', argumentsOf(invocation));
      const found = Array.isArray(answer['events']) ? answer['events'] : answer['items'];
      const past = (Array.isArray(found) ? found.filter((event) => isObject(event)) : []).reverse();
      if (follow !== true) {
        printList(invocation, 'events', past, COLUMNS);
        return 0;
      }
      print = (event) => invocation.terminal.out(lineOf(event, invocation));
      for (const event of [...past, ...late]) print(event);
      await cancelled(invocation);
      return 0;
    }),
});

function argumentsOf(invocation: Invocation): JsonObject {
  const {
    resourceType = '',
    resourceName,
    type,
    reason,
    since,
    until,
    limit,
    follow,
  } = optionsOf<Own>(invocation);
  const all = {
    resourceType: TYPES[resourceType],
    resourceName,
    eventType: type,
    reason,
    since,
    until,
    limit: Number(limit),
    follow,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** One line for each event: for programs one JSON object. */
function lineOf(event: JsonObject, invocation: Invocation): string {
  const { output } = optionsOf(invocation);
  if (output === 'json') return `${JSON.stringify(event)}\n`;
  if (output === 'yaml') return `---\n${asText(event, 'yaml')}`;
  const { timestamp, type, reason, resource_name: name, message } = event;
  return `${[timestamp, String(type).padEnd(7), reason, name, message].map(String).join('  ')}\n`;
}

function cancelled({ cancel }: Invocation): Promise<void> {
  return new Promise((resolve) => void cancel.onCancel(() => resolve()));
}
