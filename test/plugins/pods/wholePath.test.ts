import { expect } from 'chai';
import { defer } from '../../support/cleanup.ts';
import { callCore } from '../../support/coreTools.ts';
import { makeDirectory } from '../../support/directory.ts';
import { freePort } from '../../support/everything.ts';
import type { Gateway } from '../../support/gateway.ts';
import { simulatedApi } from '../../support/kube/simulatedApi.ts';
import { simulatedPod } from '../../support/kube/simulatedPods.ts';
import type { SimulatedPod } from '../../support/kube/simulatedPods.ts';
import { startPodBridge } from '../../support/podBridge.ts';
import { RELAY } from '../../support/relayGateway.ts';
import { serveHere } from '../../support/serveHere.ts';
import { TalkingClient, toldIn } from '../../support/talkingClient.ts';
import type { Heard } from '../../support/talkingClient.ts';
import { until } from '../../support/until.ts';
import { withVariables } from '../../support/withVariables.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const SERVERS = `/apis/${GROUP}/namespaces/tools/mcpservers`;
const COMMAND = [process.execPath, ...RELAY, 'stdio'];
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const FORM = { message: 'who are you?', requestedSchema: { type: 'object', properties: {} } };

describe('a stdio server in a pod: client, gateway, bridge and process', function () {
  this.timeout(60_000);
  let gateway: Gateway & { readonly url: string };
  let client: TalkingClient;

  const start = async (spec: object = {}, address = '127.0.0.1'): Promise<SimulatedPod> => {
    const api = await simulatedApi(() => true);
    withVariables({ KUBECONFIG: api.kubeconfig(api.certificateOf('service'), 'tools') });
    const port = await freePort();
    await api.admin.create(SERVERS, {
      apiVersion: GROUP,
      kind: 'MCPServer',
      metadata: { name: 's' },
      spec: {
        type: 'stdio',
        runsIn: 'pod',
        image: `relay@sha256:${'a'.repeat(64)}`,
        command: COMMAND,
        timeout: 20,
        autoStart: true,
        questions: ['elicitation', 'sampling', 'roots'],
        ...spec,
      },
    });
    const config = { image: 'pegboard:1', gatewayLabels: { app: 'pegboard' }, everySeconds: 1, port };
    const settings = { orchestrator: true, namespace: 'tools', plugins: { pods: { config } } };
    gateway = await serveHere(makeDirectory({ 'config.yaml': JSON.stringify(settings) }));
    const pod = simulatedPod({ api, namespace: 'tools', server: 's', port, address });
    await startPodBridge(pod, COMMAND);
    const status = async (): Promise<string> =>
      JSON.stringify(await callCore(gateway, 'core_service_status', { name: 's' }));
    await until(async () => (await status()).includes('\\"state\\":\\"connected'), { what: 'its tools' });
    client = await connect();
    return pod;
  };
  const connect = async (): Promise<TalkingClient> => {
    const connected = await TalkingClient.connect(gateway.url, ALL);
    defer(() => connected.leave());
    return connected;
  };
  const ask = (method: string, params: object): Promise<unknown> =>
    client.told('x_s_ask', { method, params });
  const isQuestion = ({ id, method }: Heard): boolean => id !== undefined && method !== undefined;
  const seen = async (): Promise<string> => JSON.stringify(await client.told('x_s_seen'));

  for (const [kind, method, params, result] of [
    ['elicitation', 'elicitation/create', FORM, { action: 'accept', content: { name: 'me' } }],
    [
      'sampling',
      'sampling/createMessage',
      { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 },
      { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' },
    ],
    ['roots', 'roots/list', {}, { roots: [{ uri: 'file:///work' }] }],
  ] as const) {
    it(`passes ${kind} to the client and its answer back`, async () => {
      await start();
      const asked: Heard[] = [];
      client.onAsked = (question) => {
        asked.push(question);
        return `"result":${JSON.stringify(result)}`;
      };
      expect(await ask(method, params)).deep.equal(result);
      expect(asked.map((one) => [one.method, one.params])).deep.equal([[method, params]]);
    });
  }

  it('passes progress of the server, by the token of the client, before the answer', async () => {
    await start();
    const call = client.request('tools/call', {
      name: 'call_tool',
      arguments: { name: 'x_s_meta', arguments: {} },
      _meta: { progressToken: 'mine' },
    });
    const { progressToken } = toldIn(await call.answer()) as { readonly progressToken: unknown };
    expect(progressToken).not.equal(undefined);
    const told = client.request('tools/call', {
      name: 'call_tool',
      arguments: { name: 'x_s_progress', arguments: { steps: 3 } },
      _meta: { progressToken: 'own' },
    });
    await told.answer();
    const heard = told.heard.filter(({ method }) => method === 'notifications/progress');
    expect(heard.map(({ params }) => params)).deep.equal([
      { progressToken: 'own', progress: 1, total: 3 },
      { progressToken: 'own', progress: 2, total: 3 },
      { progressToken: 'own', progress: 3, total: 3 },
    ]);
  });

  it('passes progress of the client on a question', async () => {
    await start();
    let asked: Heard | undefined;
    client.onAsked = (question) => void (asked = question);
    const call = client.call('x_s_ask', { method: 'elicitation/create', params: FORM, progress: true });
    const question = await until(() => asked, { what: 'the question' });
    const { progressToken } = question.params?.['_meta'] as { progressToken: number };
    await client.notify('notifications/progress', { progressToken, progress: 1 });
    await until(async () => (await seen()).includes('progress'), { what: 'the progress' });
    await (
      await client.post({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } })
    ).arrayBuffer();
    expect(toldIn(await call.answer())).deep.equal({ action: 'decline' });
  });

  it('passes a cancellation, which ends the call in the process', async () => {
    await start();
    // What the process asks then may reach a call by which this test looks.
    client.onAsked = () => '"result":{"action":"decline"}';
    const call = client.call('x_s_late', { method: 'elicitation/create', params: FORM });
    await until(async () => (await seen()).includes('waits to be late'), { what: 'the call' });
    await client.notify('notifications/cancelled', { requestId: call.id });
    await until(async () => (await seen()).includes('late {'), { what: 'the end of the call' });
    expect(call.heard.filter(isQuestion)).deep.equal([]);
  });

  it('shows the question of a call that was cancelled to no other client, whose call runs alone', async () => {
    await start();
    const other = await connect();
    const call = client.call('x_s_late', { method: 'elicitation/create', params: FORM });
    await until(async () => (await seen()).includes('waits to be late'), { what: 'the call' });
    const waiting = other.call('x_s_wait');
    await until(async () => (await seen()).includes('"waits'), { what: 'the other call' });
    await client.notify('notifications/cancelled', { requestId: call.id });
    await until(async () => (await seen()).includes('late {'), { what: 'the end of the call' });
    expect([...waiting.heard, ...call.heard].filter(isQuestion)).deep.equal([]);
  });

  it('takes a question back whose call is cancelled', async () => {
    await start();
    const call = client.call('x_s_ask', { method: 'elicitation/create', params: FORM });
    const question = await until(() => call.heard.find(isQuestion), { what: 'the question' });
    await client.listen();
    await client.notify('notifications/cancelled', { requestId: call.id });
    const back = await until(() =>
      [...call.heard, ...client.aside].find(({ method }) => method === 'notifications/cancelled'),
    );
    expect(back.params?.['requestId']).equal(question.id);
  });

  it('passes questions of 20 calls that run at once to their client, each with its answer', async () => {
    await start();
    client.onAsked = ({ params }) =>
      `"result":{"action":"accept","content":{"to":${JSON.stringify(params?.['message'])}}}`;
    const messages = Array.from({ length: 20 }, (_, at) => String(at));
    const told = await Promise.all(
      messages.map((message) => ask('elicitation/create', { ...FORM, message })),
    );
    expect(told).deep.equal(messages.map((to) => ({ action: 'accept', content: { to } })));
  });

  for (const address of ['127.0.0.1', '::1'])
    it(`reaches a bridge that listens as the Deployment says, in a pod whose address is ${address}`, async () => {
      await start({}, address);
      expect(await client.told('x_s_meta')).not.equal(undefined);
    });

  it('gives each session its own answers with instances, while their calls run at once', async () => {
    await start({ instances: 'perSession' });
    const other = await connect();
    const answered = (name: string) => (): string =>
      `"result":{"action":"accept","content":{"name":"${name}"}}`;
    client.onAsked = answered('one');
    other.onAsked = answered('other');
    const both = [client, other].map((one) =>
      one.told('x_s_ask', { method: 'elicitation/create', params: FORM }),
    );
    expect(await Promise.all(both)).deep.equal([
      { action: 'accept', content: { name: 'one' } },
      { action: 'accept', content: { name: 'other' } },
    ]);
  });
});
