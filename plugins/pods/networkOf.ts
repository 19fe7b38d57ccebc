import type { JsonObject } from 'pegboard';
import type { PodsConfig } from './config.ts';

/** Addresses at which clouds give the credentials of a node to each program that asks, and those of the link. */
const NODES_OWN = { v4: ['169.254.0.0/16'], v6: ['fe80::/10', 'fd00:ec2::254/128'] };

/** Who reaches a pod, and what it reaches. Answers to what was asked need no rule. */
export function networkOf(granted: 'none' | 'all' = 'none', config: PodsConfig): JsonObject {
  const { gatewayLabels, gatewayNamespace, port, healthPort } = config;
  const gateway = {
    podSelector: { matchLabels: gatewayLabels },
    ...(gatewayNamespace !== undefined && {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': gatewayNamespace } },
    }),
  };
  const everywhere = [
    { ipBlock: { cidr: '0.0.0.0/0', except: NODES_OWN.v4 } },
    { ipBlock: { cidr: '::/0', except: NODES_OWN.v6 } },
  ];
  // The resolver of a node may be at an address of its link.
  const names = {
    ports: [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ],
  };
  return {
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      { from: [gateway], ports: [{ port, protocol: 'TCP' }] },
      // The kubelet, whose address no rule can name.
      { ports: [{ port: healthPort, protocol: 'TCP' }] },
    ],
    ...(granted === 'all' && { egress: [{ to: everywhere }, names] }),
  };
}
