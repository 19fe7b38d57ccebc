import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeCredentials } from '../../../plugins/store-kubernetes/api/kubeCredentials.ts';
import { KubeApi } from '../../../plugins/store-kubernetes/api/kubeApi.ts';
import { defer } from '../../support/cleanup.ts';

export interface Asked {
  readonly method: string;
  /** Path of the request, with its query. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}
export interface KubeStub {
  /** Every request so far. */
  readonly asked: Asked[];
  readonly api: KubeApi;
  readonly credentials: KubeCredentials;
}
export const PLACE = { group: 'pegboard.dev', version: 'v1alpha1', plural: 'mcpservers', namespace: 'test' };

/** An HTTP server that answers what a healthy API server never does, and a client of it. */
export async function kubeStub(
  answer: (asked: Asked, res: ServerResponse) => unknown,
  limits: ConstructorParameters<typeof KubeApi>[1] = {},
): Promise<KubeStub> {
  const asked: Asked[] = [];
  const server = createServer((req, res) => {
    const url = req.url ?? '';
    const query = new URL(url, 'http://stub').searchParams;
    const request = { method: req.method ?? '', url, query, headers: req.headers };
    asked.push(request);
    res.on('error', () => undefined);
    answer(request, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tokens = ['old', 'new'];
  const tls = { skipTlsVerify: false };
  const credentials: KubeCredentials = {
    server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    namespace: 'test',
    cure: 'write a new one',
    current: () => Promise.resolve({ tls, authorization: `Bearer ${tokens[0]}` }),
    refused: () => void tokens.shift(),
  };
  const api = new KubeApi(credentials, limits);
  defer(async () => {
    await api.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { asked, api, credentials };
}

export function json(res: ServerResponse, status: number, body: unknown, headers = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** An object as a list or a watch has it. */
export function objectNamed(name: string, resourceVersion: string, more: object = {}) {
  return {
    kind: 'MCPServer',
    metadata: { name, uid: `uid-${name}`, resourceVersion, generation: 1, ...more },
  };
}
