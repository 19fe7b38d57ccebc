import type { ControlPlane } from './controlPlane.ts';
import type { KubeNamespace, Rule } from './kubeNamespace.ts';

/** What the README says that the service account needs. */
export const SERVICE_RULES: readonly Rule[] = [
  {
    apiGroups: ['pegboard.dev'],
    resources: ['mcpservers', 'workflows'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: ['pegboard.dev'], resources: ['toolsetpresets', 'accesses'], verbs: ['list', 'watch'] },
  {
    apiGroups: ['pegboard.dev'],
    resources: ['mcpservers/status', 'workflows/status', 'toolsetpresets/status', 'accesses/status'],
    verbs: ['patch'],
  },
  {
    apiGroups: ['pegboard.dev'],
    resources: ['workflowexecutions'],
    verbs: ['get', 'list', 'create', 'update', 'delete'],
  },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** What it needs besides for servers in pods. */
export const POD_RULES: readonly Rule[] = [
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'create', 'update', 'delete'] },
  {
    apiGroups: ['networking.k8s.io'],
    resources: ['networkpolicies'],
    verbs: ['list', 'create', 'update', 'delete'],
  },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['list', 'create', 'update', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update', 'delete'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
];
/** The same in the namespace of a team. */
export const TEAM_RULES: readonly Rule[] = [
  { apiGroups: ['pegboard.dev'], resources: ['mcpservers', 'workflows'], verbs: ['list', 'watch'] },
  {
    apiGroups: ['pegboard.dev'],
    resources: ['mcpservers/status', 'workflows/status'],
    verbs: ['patch'],
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

export interface ServiceUser {
  readonly name: string;
  /** Path of the kubeconfig of that user. */
  readonly kubeconfig: string;
}

/** The user of a gateway in that namespace. */
export async function serviceUser(
  plane: ControlPlane,
  namespace: KubeNamespace,
  rules: readonly Rule[] = SERVICE_RULES,
): Promise<ServiceUser> {
  const name = `service-of-${namespace.name}`;
  await namespace.grant({ kind: 'User', name }, rules);
  return { name, kubeconfig: plane.kubeconfig(plane.certificateOf(name), namespace.name) };
}
