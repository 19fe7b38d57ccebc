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
