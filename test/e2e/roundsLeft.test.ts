import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { ROOT } from '../support/sources.ts';
import { TalkingClient } from '../support/talkingClient.ts';
import type { Heard } from '../support/talkingClient.ts';

const REVISIONS = fileURLToPath(new URL('test/plugins/upstream/fixtures/revisions.mjs', `file://${ROOT}/`));
const FORM = {
  method: 'elicitation/create',
  params: { message: 'who?', requestedSchema: { type: 'object', properties: {} } },
};

describe('e2e: a question of a server of 2026-07-28', () => {
  let gateway: TestGateway;
  before(async () => {
    const definition = { type: 'stdio', autoStart: true, command: [process.execPath, REVISIONS, 'asks'] };
    gateway = await startGateway({ files: { 'mcpservers/s.yaml': JSON.stringify(definition) } });
    defer(() => gateway.stop());
    await eventually(() => gateway.log.find(({ text }) => text === 'server connected'), 'the server');
  });

  const connect = async (): Promise<TalkingClient> => {
    const client = await TalkingClient.connect(gateway.url(), { elicitation: {} });
    defer(() => client.leave());
    return client;
  };
  /** A call whose question the client has received, and leaves open. */
  const ask = async (client: TalkingClient) => {
    const call = client.call('x_s_echo', { ask: { who: FORM } });
    const isAsked = (): Heard | undefined => call.heard.find(({ method }) => method === FORM.method);
    return { call, asked: await eventually(isAsked, 'the question') };
  };
  /** How often the server's tool was called so far, as another client learns. */
  const calls = async (): Promise<number> => {
    const seen = (await (await connect()).told('x_s_seen')) as { params?: { name?: string } }[];
    return seen.filter(({ params }) => params?.name === 'echo').length;
  };

  it('is withdrawn when the client cancels its call, and the server receives no further request', async () => {
    const before = await calls();
    const client = await connect();
    const { call, asked } = await ask(client);
    await client.notify('notifications/cancelled', { requestId: call.id });
    const isWithdrawal = (one: { method?: string; params?: object }): boolean =>
      one.method === 'notifications/cancelled' &&
      JSON.stringify(one.params).includes(JSON.stringify(asked.id));
    await client.listen();
    await eventually(() => [...call.heard, ...client.aside].find(isWithdrawal), 'the withdrawal');
    expect(await calls()).equal(before + 1);
  });

  it('is withdrawn when the session of the client ends, and the server receives no further request', async () => {
    const before = await calls();
    const client = await connect();
    const { asked } = await ask(client);
    const ended = await fetch(client.url, { method: 'DELETE', headers: client.headers });
    expect(ended.status).within(200, 204);
    const late = await client.post({
      jsonrpc: '2.0',
      id: asked.id,
      result: { action: 'accept', content: {} },
    });
    expect(late.status).equal(404);
    expect(await calls()).equal(before + 1);
  });

  it('leads to the answer for a client that stays', async () => {
    const client = await connect();
    client.onAsked = () => '"result":{"action":"accept","content":{}}';
    expect(await client.told('x_s_echo', { ask: { who: FORM }, state: 's' })).deep.equal({
      inputResponses: { who: { action: 'accept', content: {} } },
      requestState: 's',
    });
  });
});
