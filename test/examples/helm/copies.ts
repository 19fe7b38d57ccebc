/** Files of examples/helm that the chart has from elsewhere, since helm reads nothing outside of a chart. `npm run tables` copies them. */
export const COPIES: Readonly<Record<string, string>> = {
  'files/alerts.yml': 'examples/observe/alerts.yml',
  'files/dashboard.json': 'examples/observe/dashboard.json',
  'files/crds/mcpservers.yaml': 'schemas/crd/mcpservers.yaml',
  'files/crds/workflowexecutions.yaml': 'schemas/crd/workflowexecutions.yaml',
  'files/crds/workflows.yaml': 'schemas/crd/workflows.yaml',
  'files/crds/toolsetpresets.yaml': 'schemas/crd/toolsetpresets.yaml',
  'files/crds/accesses.yaml': 'schemas/crd/accesses.yaml',
};
