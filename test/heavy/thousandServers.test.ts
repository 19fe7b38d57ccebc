import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { mcpClient } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import { rssMegabytes } from '../support/proc.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import { serviceUser } from '../support/kube/serviceUser.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const SERVERS = 1_000;
const AT_ONCE = 16;

interface Status {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly observedGeneration: number;
  }[];
}

describe('orchestrator mode with 1,000 servers', () => {
  let plane: ControlPlane;
  before(async function () {
    plane = await planeWithCrds(this);
  });

  it('connects, lists and writes them all Ready, applies an edit of one, and replicas write nothing more', async () => {
    const namespace = await plane.makeNamespace();
    const servers = namespace.path('mcpservers', GROUP);
    const { kubeconfig: KUBECONFIG } = await serviceUser(plane, namespace);
    const { url, connections } = await stub();
    const names = Array.from({ length: SERVERS }, (_, at) => `s${at}`).values();
    const create = async (): Promise<void> => {
      for (const name of names)
        await plane.admin.create(servers, {
          apiVersion: GROUP,
          kind: 'MCPServer',
          metadata: { name },
          spec: { type: 'streamable-http', url },
        });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, create));

    const config = `orchestrator: true\nnamespace: ${namespace.name}\n`;
    const startedAt = performance.now();
    const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(1);
    const start = (): Promise<Pegboard> =>
      servePegboard(makeDirectory({ 'config.yaml': config }).path, [], {
        env: { KUBECONFIG },
        withinMs: 60_000,
      });
    const gateway = await start();
    console.log(`      ready line after ${seconds()} s`);
    const readyOnes = async (): Promise<number> =>
      ((await plane.admin.get(servers)).items ?? []).filter((object) =>
        ((object.status ?? {}) as Status).conditions?.some(
          ({ type, status }) => type === 'Ready' && status === 'True',
        ),
      ).length;
    await until(async () => (await readyOnes()) === SERVERS, { what: 'all to be ready', withinMs: 100_000 });
    console.log(`      all Ready after ${seconds()} s`);

    const client = await mcpClient(gateway.url);
    const editedAt = performance.now();
    await plane.admin.ask('PATCH', `${servers}/s500`, { body: { spec: { toolPrefix: 'renamed' } } });
    await until(async () => (await client.callTool('x_renamed_ping')).isError !== true, { what: 'the edit' });
    console.log(`      an edit is live after ${Math.round(performance.now() - editedAt)} ms`);
    expect(await readyOnes()).equal(SERVERS);
    const isSettled = async (): Promise<boolean> =>
      ((await plane.admin.get(`${servers}/s500`)).status as Status).conditions?.every(
        ({ observedGeneration, status }) => observedGeneration === 2 && status === 'True',
      ) === true;
    await until(isSettled, { what: 'the status of the edited one' });

    const statusWrites = (): number =>
      plane
        .audit()
        .filter(
          ({ objectRef }) => objectRef?.namespace === namespace.name && objectRef.subresource === 'status',
        ).length;
    console.log(`      one process: ${statusWrites()} writes of status, ${told(gateway, connections())}`);
    const before = statusWrites();
    const replicas = await Promise.all([start(), start()]);
    for (const replica of replicas)
      await until(() => replica.lines.filter(({ text }) => text === 'server connected').length === SERVERS, {
        what: 'all at a replica',
        withinMs: 100_000,
      });
    console.log(`      three processes: ${replicas.map((one) => told(one, connections())).join('; ')}`);
    expect(statusWrites() - before, 'writes of status').equal(0);
  });
});

function told({ pid }: Pegboard, connections: number): string {
  return `${Math.round(rssMegabytes(pid))} MB, ${connections} connections at the servers`;
}

/** An MCP server with one tool and no sessions. @returns its url, and how many connections it has now */
async function stub(): Promise<{ readonly url: string; readonly connections: () => number }> {
  const server = createServer((req, res) => void answer(req, res));
  server.listen(0, '127.0.0.1');
  defer(() => {
    server.close();
    server.closeAllConnections();
  });
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => (connections -= 1));
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, connections: () => connections };
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'POST') return void res.writeHead(405).end();
  const { id, method } = (await json(req)) as { readonly id?: number; readonly method: string };
  if (id === undefined) return void res.writeHead(202).end();
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method) }));
}

function resultOf(method: string): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'stub', version: '1' };
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') return { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] };
  return { content: [{ type: 'text', text: 'pong' }] };
}
