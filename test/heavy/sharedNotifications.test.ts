import { expect } from 'chai';
import { eventsIn, McpClient, textOf } from '../support/mcpClient.ts';
import { needRedis, startRedis } from '../support/redis.ts';
import type { RedisServer } from '../support/redis.ts';
import type { Pegboard } from '../support/serve.ts';
import { sharedProcesses } from '../support/sharedProcesses.ts';
import type { SharedProcesses } from '../support/sharedProcesses.ts';
import { post, statelessCall } from '../support/stateless.ts';
import { until } from '../support/until.ts';
import { programAt } from '../support/programs.ts';

type Json = Readonly<Record<string, unknown>>;
interface Notification {
  readonly method: string;
  readonly params: Json;
}

const RELAY = {
  type: 'stdio',
  command: [process.execPath, ...programAt('test/support/relayServer.ts'), 'stdio'],
  autoStart: true,
  questions: ['elicitation'],
};
const QUESTION = {
  method: 'elicitation/create',
  params: { message: 'Where?', requestedSchema: { type: 'object', properties: { at: { type: 'string' } } } },
};
const URI = 'child://one';

/** The notifications on the client's standing stream from now on. */
async function listenAt(client: McpClient): Promise<readonly Notification[]> {
  const received: Notification[] = [];
  const { body } = await client.listen();
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      const end = text.lastIndexOf('\n\n') + 2;
      received.push(...eventsIn(text.slice(0, end)).map((data) => JSON.parse(data) as Notification));
      text = text.slice(end);
    }
  };
  // It ends with its process.
  read().catch(() => undefined);
  return received;
}

describe('e2e: notifications of three processes over one Redis', function () {
  this.timeout(60_000);
  let redis: RedisServer;
  let processes: SharedProcesses;
  let gateways: Readonly<Record<'a' | 'b' | 'c', Pegboard>>;
  let atA: McpClient;
  let atB: McpClient;
  let atC: McpClient;
  let stream: readonly Notification[];

  before(async function () {
    needRedis(this);
    redis = await startRedis();
    processes = sharedProcesses(redis, ['relay', RELAY], {
      front: { config: { listChangedMs: 200 } },
      'core-events': { config: { writeAfterMs: 50 } },
    });
    const [a, b, c] = await Promise.all([processes.start('a'), processes.start('b'), processes.start('c')]);
    gateways = { a, b, c };
    atA = await McpClient.connect(a.url);
    atB = atA.movedTo(b.url);
    atC = atA.movedTo(c.url);
    stream = await listenAt(atB);
  });

  const received = (member: string, value: string): number =>
    stream.filter(({ params }) => (params as Json | undefined)?.[member] === value).length;
  /** Emits an event at that process. */
  const happens = (client: McpClient, name: string): Promise<unknown> =>
    client.callTool('core_workflow_validate', { name, steps: [{ id: 'one', tool: 'x_relay_seen' }] });
  /** The server of that process sends a log message when no call is under way. */
  const logs = (client: McpClient, level: string, data: string): Promise<unknown> =>
    client.callTool('x_relay_notify_later', {
      method: 'notifications/message',
      params: { level, data },
      releaseMs: 50,
    });
  const updates = (client: McpClient): Promise<unknown> =>
    client.callTool('x_relay_notify_aside', {
      method: 'notifications/resources/updated',
      params: { uri: URI },
    });
  const arrives = (member: string, value: string): Promise<unknown> =>
    until(() => received(member, value) > 0, { what: `${value} on the stream` });

  it('bring followed events of each process to the stream, each once', async () => {
    await atA.callTool('core_events', { follow: true, reason: 'WorkflowValidationSucceeded' });
    const names = ['at-a', 'at-b', 'at-c'];
    await until(
      async () => {
        await Promise.all([atA, atB, atC].map((client, at) => happens(client, names[at] ?? '')));
        return names.every((name) => received('resource_name', name) > 0);
      },
      { what: 'events of all' },
    );
    const ids = stream.flatMap(({ params }) => params['id'] ?? []);
    expect(new Set(ids).size, JSON.stringify(stream)).equal(ids.length);
  });

  it('list at each process what happened at the others', async () => {
    await happens(atA, 'listed');
    await happens(atC, 'later');
    const listed = async (client: McpClient): Promise<readonly string[]> => {
      const result = await client.callTool('core_events', {
        reason: 'WorkflowValidationSucceeded',
        limit: 2,
      });
      return (JSON.parse(textOf(result)) as readonly Json[]).map((event) => String(event['resource_name']));
    };
    await until(async () => (await listed(atB)).join() === 'later,listed', { what: 'both at the second' });
  });

  it('send log messages from the level that was set at any process, each once', async () => {
    await atA.request('logging/setLevel', { level: 'warning' });
    await until(
      async () => {
        await Promise.all([logs(atB, 'info', 'quiet'), logs(atC, 'error', 'loud')]);
        return received('data', 'loud') > 0;
      },
      { what: 'the message' },
    );
    await logs(atA, 'error', 'once');
    await arrives('data', 'once');
    await logs(atC, 'error', 'last');
    await arrives('data', 'last');
    expect(['quiet', 'once', 'last'].map((data) => received('data', data))).deep.equal([0, 1, 1]);
  });

  it('report a watched resource that changes at the process that received the subscription, once', async () => {
    await atA.request('resources/subscribe', { uri: URI });
    await updates(atA);
    await arrives('uri', URI);
    await logs(atA, 'error', 'after the update');
    await arrives('data', 'after the update');
    expect(received('uri', URI)).equal(1);
  });

  it('report a changed list once, although each process sees the change', async () => {
    processes.directory.write('mcpservers/second.yaml', JSON.stringify(RELAY));
    const changes = (): number =>
      stream.filter(({ method }) => method === 'notifications/prompts/list_changed').length;
    await until(() => changes() > 0, { what: 'list_changed', withinMs: 10_000 });
    for (const [at, client] of [atA, atB, atC].entries()) {
      await until(async () => (await client.callTool('x_second_seen')).isError !== true, {
        what: 'the server',
      });
      await logs(client, 'error', `fence ${at}`);
      await arrives('data', `fence ${at}`);
    }
    expect(changes()).equal(1);
  });

  /** A call of 2026-07-28 of a tool that asks its client. */
  const asking = (more: object = {}) =>
    statelessCall(
      'call_tool',
      { name: 'x_relay_ask', arguments: QUESTION },
      { capabilities: { elicitation: {} }, ...more },
    );
  const parkAt = async (client: McpClient): Promise<unknown> => {
    const { result } = (await post(client.url, asking())).json() as { readonly result: Json };
    expect(result).include({ resultType: 'input_required' });
    return result['requestState'];
  };
  const backAt = (client: McpClient, requestState: unknown) => {
    const inputResponses = { question1: { action: 'accept', content: { at: 'b' } } };
    return post(client.url, asking({ back: { requestState, inputResponses } }));
  };

  it('are sent to the latest stream of the session', async () => {
    stream = await listenAt(atC);
    await until(async () => (await happens(atB, 'moved'), received('resource_name', 'moved') > 0), {
      what: 'an event at the new stream',
    });
    stream = await listenAt(atB);
  });

  it('continue a call of 2026-07-28 at the process in which it waits, once', async () => {
    const state = await parkAt(atA);
    const { text } = await backAt(atB, state);
    expect(text).contain('accept').and.contain('"complete"');
    expect((await backAt(atB, state)).text).contain('repeat the call');
    expect((await backAt(atB, `${String(state)}x`)).text).contain('repeat the call');
  });

  it('arrive again after Redis was away', async () => {
    await redis.restart();
    const arrived = (): boolean =>
      received('resource_name', 'after-redis') > 0 && received('data', 'back') > 0;
    await until(
      async () => {
        await Promise.all([happens(atC, 'after-redis'), logs(atA, 'error', 'back')]);
        return arrived();
      },
      { what: 'both', withinMs: 10_000 },
    );
  });

  it('refuse to continue a call whose process was killed', async () => {
    const state = await parkAt(atA);
    await gateways.a.kill();
    const { text } = await backAt(atB, state);
    expect(text).contain('does not answer').and.contain('repeat it if that is safe');
  });

  it('continue after kill -9 of the process that received the requests', async () => {
    await happens(atC, 'after-a');
    await arrives('resource_name', 'after-a');
    await logs(atC, 'error', 'after a');
    await arrives('data', 'after a');
    const before = received('uri', URI);
    await until(async () => (await updates(atB), received('uri', URI) > before), { what: 'an update' });
  });

  it('continue at another process after kill -9 of the one with the stream', async () => {
    await gateways.b.kill();
    stream = await listenAt(atC);
    await happens(atC, 'after-b');
    await arrives('resource_name', 'after-b');
    await logs(atC, 'error', 'after b');
    await arrives('data', 'after b');
    await until(async () => (await updates(atC), received('uri', URI) > 0), { what: 'an update' });
    await processes.start('d').then(async ({ url }) => {
      await happens(atC.movedTo(url), 'at-d');
      await arrives('resource_name', 'at-d');
    });
  });
});
