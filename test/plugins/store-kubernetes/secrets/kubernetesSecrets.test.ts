import { unlinkSync } from 'node:fs';
import { expect } from 'chai';
import { mcpClient } from '../../../contract/index.ts';
import type { McpClient } from '../../../contract/index.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import type { Gateway } from '../../../support/gateway.ts';
import { simulatedApi } from '../../../support/kube/simulatedApi.ts';
import type { SimulatedApi } from '../../../support/kube/simulatedApi.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { until } from '../../../support/until.ts';
import { withVariables } from '../../../support/withVariables.ts';
import { HttpFixture } from '../../upstream/httpFixture.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const SECRETS = '/api/v1/namespaces/tools/secrets';
const SERVERS = 10;
const UNREAD = 'a secret that connections use cannot be read; they keep what they have';

describe('orchestrator mode: a Secret that changes', () => {
  let api: SimulatedApi;
  let server: HttpFixture;
  let gateway: Gateway;
  let client: McpClient;
  let isGranted: boolean;
  let directory: Directory;

  const dataOf = (token: string): object => ({ data: { token: Buffer.from(token).toString('base64') } });
  const write = async (token: string): Promise<void> => {
    await api.admin.ask('PATCH', `${SECRETS}/tracker`, { body: dataOf(token) });
  };
  const reads = (): number =>
    api.requests().filter(({ verb, objectRef }) => verb === 'get' && objectRef?.resource === 'secrets')
      .length;
  const sent = (): unknown => server.headers.at(-1)?.authorization;
  const call = async (at: number): Promise<boolean> =>
    (await client.callTool(`x_s${at % SERVERS}_echo`, { message: 'm' })).isError !== true;
  const reasons = (): readonly string[] =>
    gateway.log.records.filter(({ text }) => text === UNREAD).map(({ data }) => String(data['reason']));

  beforeEach(async () => {
    isGranted = true;
    api = await simulatedApi(
      () => true,
      (_, name) => name !== 'tracker' || isGranted,
    );
    server = new HttpFixture();
    server.hasSessions = false;
    await server.listen();
    await api.admin.create(SECRETS, { metadata: { name: 'tracker' }, ...dataOf('old') });
    for (let at = 0; at < SERVERS; at += 1)
      await api.admin.create(`/apis/${GROUP}/namespaces/tools/mcpservers`, {
        apiVersion: GROUP,
        kind: 'MCPServer',
        metadata: { name: `s${at}` },
        spec: {
          type: 'streamable-http',
          url: server.url,
          headers: { Authorization: 'Bearer ${secret:tracker/token}' },
        },
      });
    withVariables({ KUBECONFIG: api.kubeconfig(api.certificateOf('service'), 'tools') });
    const settings = {
      orchestrator: true,
      namespace: 'tools',
      plugins: { upstream: { config: { rereadSecretsMs: 300 } } },
    };
    directory = makeDirectory({ 'config.yaml': JSON.stringify(settings), part: 'whole' });
    const served = await serveHere(directory);
    gateway = served;
    client = await mcpClient(served.url);
    await until(async () =>
      (await Promise.all(Array.from({ length: SERVERS }, (_, at) => call(at)))).every(Boolean),
    );
  });
  afterEach(async () => {
    await client.close();
    await server.kill();
  });

  it('is in what all servers that name it are sent, with one request a look and no lost call', async () => {
    const before = reads();
    const [begun, calls] = [performance.now(), { good: 0, all: 0 }];
    await write('new');
    let seen = 0;
    while (seen < 3 * SERVERS) {
      calls.good += Number(await call(calls.all));
      calls.all += 1;
      seen = sent() === 'Bearer new' ? seen + 1 : 0;
    }
    expect(calls.good).equal(calls.all);
    expect(reads() - before).within(1, 2 + Math.ceil((performance.now() - begun) / 300));
    expect(server.count('initialize')).equal(SERVERS);
    expect(JSON.stringify(gateway.log.records)).not.match(/Bearer (old|new)/);
  });

  it('stays as it was while it is gone, or may not be read, and says so once each', async () => {
    const namespace = 'in namespace tools';
    isGranted = false;
    await until(() => reasons().length === 1, { what: 'a word about the missing right' });
    expect(await call(0)).equal(true);
    isGranted = true;
    await api.admin.delete(`${SECRETS}/tracker`);
    await until(() => reasons().length === 2, { what: 'a word about the missing Secret' });
    expect(reasons()[0]).contain(`may not get secret tracker ${namespace}: grant the verb get on secrets`);
    expect(reasons()[1]).equal(`secret tracker ${namespace} not found; create it`);
    expect([await call(0), sent()]).deep.equal([true, 'Bearer old']);
    await api.admin.create(SECRETS, { metadata: { name: 'tracker' }, ...dataOf('new') });
    await until(async () => (await call(0)) && sent() === 'Bearer new', { what: 'the new one' });
  });

  it('warns once while another reference beside it cannot be read', async () => {
    await api.admin.ask('PATCH', `/apis/${GROUP}/namespaces/tools/mcpservers/s0`, {
      body: { spec: { headers: { Authorization: '${file:part} ${secret:tracker/token}' } } },
    });
    await until(async () => (await call(0)) && sent() === 'whole old', { what: 'both' });
    unlinkSync(directory.at('part'));
    await write('new');
    const before = reads();
    await until(() => reads() > before + 4, { what: 'five looks' });
    const warned = gateway.log.records.filter(({ text }) => text.startsWith('headers of a server cannot be'));
    expect(warned).length(1);
    expect([await call(0), sent()]).deep.equal([true, 'whole old']);
    directory.write('part', 'whole');
    await until(async () => (await call(0)) && sent() === 'whole new', { what: 'the changed Secret' });
  });
});
