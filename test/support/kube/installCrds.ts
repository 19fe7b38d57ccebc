import { until } from '../until.ts';
import type { ControlPlane } from './controlPlane.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export async function installCrds(plane: ControlPlane): Promise<void> {
  for (const [kind, plural] of [
    ['MCPServer', 'mcpservers'],
    ['Workflow', 'workflows'],
    ['WorkflowExecution', 'workflowexecutions'],
  ] as const) {
    const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await plane.admin.create(CRDS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.pegboard.dev` },
      spec: {
        group: 'pegboard.dev',
        scope: 'Namespaced',
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: [
          {
            name: 'v1alpha1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: any, status: any } } },
          },
        ],
      },
    });
    await until(async () =>
      JSON.stringify((await plane.admin.get(`${CRDS}/${plural}.pegboard.dev`)).status ?? '').includes(
        '"type":"Established"',
      ),
    );
  }
}
