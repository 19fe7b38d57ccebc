import type { JsonObject } from 'pegboard';
import type { Grants } from '../contracts/servers.ts';
import {
  NODES_OWN,
  isForPods,
  isInRange,
  rangeIn,
  readAddressGrant,
} from '../kit/definitions/addressGrant.ts';
import type { AddressGrant, AddressRange } from '../kit/definitions/addressGrant.ts';
import type { PodsConfig } from './config.ts';

/** Who reaches a pod, and what it reaches. Answers to what was asked need no rule. */
export function networkOf(granted: Grants['network'] = 'none', config: PodsConfig): JsonObject {
  const { gatewayLabels, gatewayNamespace, port, healthPort } = config;
  const gateway = {
    podSelector: { matchLabels: gatewayLabels },
    ...(gatewayNamespace !== undefined && {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': gatewayNamespace } },
    }),
  };
  const everywhere = ['0.0.0.0/0', '::/0'].flatMap((cidr) => blockOf(rangeIn(cidr)));
  // The resolver of a node may be at an address of its link.
  const names = { ports: portsOf(53) };
  const egress =
    typeof granted === 'string'
      ? granted === 'all' && [{ to: everywhere }, names]
      : granted.map(readAddressGrant).flatMap((grant) => (grant && isForPods(grant) ? [ruleOf(grant)] : []));
  return {
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      { from: [gateway], ports: [{ port, protocol: 'TCP' }] },
      // The kubelet, whose address no rule can name.
      { ports: [{ port: healthPort, protocol: 'TCP' }] },
    ],
    ...(egress && egress.length > 0 && { egress }),
  };
}

function ruleOf(grant: AddressGrant): JsonObject {
  return { to: blockOf(grant), ports: portsOf(grant.port) };
}

/** What is granted in words is TCP; names are asked by UDP, too. */
function portsOf(port: number): readonly JsonObject[] {
  return [...(port === 53 ? [{ port, protocol: 'UDP' }] : []), { port, protocol: 'TCP' }];
}

function blockOf(range: AddressRange | undefined): readonly JsonObject[] {
  if (range === undefined) return [];
  const except = NODES_OWN.filter((text) => {
    const inner = rangeIn(text);
    return inner !== undefined && isInRange(inner, range) && inner.bits > range.bits;
  });
  return [{ ipBlock: { cidr: range.cidr, ...(except.length > 0 && { except }) } }];
}
