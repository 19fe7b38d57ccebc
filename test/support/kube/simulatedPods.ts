import { until } from '../until.ts';
import type { SimulatedApi } from './simulatedApi.ts';

export interface SimulatedPod {
  readonly api: SimulatedApi;
  readonly namespace: string;
  readonly server: string;
  /** That of the bridge. */
  readonly port: number;
  readonly address: string;
  /** The key that the gateway has written for its bridge, once it has. */
  readonly key: () => Promise<string>;
}

/** The pod of a server at a simulated API, which has none until makeObjectOf(). */
export function simulatedPod(parts: Omit<SimulatedPod, 'key'>): SimulatedPod {
  const secrets = `/api/v1/namespaces/${parts.namespace}/secrets`;
  const find = async (): Promise<string | undefined> => {
    const { items = [] } = await parts.api.admin.get(secrets);
    const secret = items.find(({ metadata }) => metadata.name.startsWith(`mcp-${parts.server}-`));
    const { key } = (secret?.['data'] ?? {}) as { readonly key?: string };
    return key === undefined ? undefined : Buffer.from(key, 'base64').toString();
  };
  return { ...parts, key: () => until(find, { what: 'the key of the bridge' }) };
}

/** Writes that pod as a kubelet would that runs it. */
export async function makeObjectOf({ api, namespace, server, address }: SimulatedPod): Promise<void> {
  await api.admin.create(`/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name: `mcp-${server}-1`, labels: { 'pegboard.dev/server': `mcp-${server}` } },
    status: { podIP: address, conditions: [{ type: 'Ready', status: 'True' }] },
  });
}
