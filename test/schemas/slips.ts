/** A mistake that people make in a file: what they mean and what they write, in YAML. */
export interface Slip {
  readonly file: 'config' | 'mcpserver' | 'workflow' | 'toolsetpreset' | 'access';
  readonly text: string;
}

const config = (text: string): Slip => ({ file: 'config', text });
const server = (text: string): Slip => ({ file: 'mcpserver', text });
const workflow = (text: string): Slip => ({ file: 'workflow', text });
const resource = (kind: string, text: string): string =>
  `apiVersion: pegboard.dev/v1alpha1\nkind: ${kind}\n${text}`;

export const SLIPS: readonly Slip[] = [
  // Keys of the gateway.
  ...[
    'agregator: { port: 8090 }',
    'port: 8090',
    'aggregator: { prt: 8090 }',
    'aggregator: { port: "8090" }',
    'aggregator: { port: 80900 }',
    'aggregator: { host: [localhost] }',
    'aggregator: { transport: streamable_http }',
    'aggregator: { localToken: "yes" }',
    'aggregator: { logLevel: trace }',
    'aggregator: { proxy: proxy.example.com }',
    'aggregator: { noProxy: .example.com }',
    'aggregator: { resultBudget: -1 }',
    'auth: { mode: automatic }',
    'orchestrator: "true"',
    'required: auth-server',
    // Sign-in, admin pages, who sees what.
    'aggregator: { oauth: { server: { enabld: true } } }',
    'aggregator: { oauth: { server: { enabled: "yes" } } }',
    'aggregator: { oauth: { server: { idp: { issuerUrl: 3 } } } }',
    'aggregator: { oauth: { server: { idp: { clientID: pegboard } } } }',
    'aggregator: { oauth: { server: { consent: allways } } }',
    'aggregator: { oauth: { server: { idp: { provider: azure } } } }',
    'aggregator: { oauth: { mcpClient: { enabld: true } } }',
    'aggregator: { oauth: { tls: { idp.example.com: { cacert: ca.pem } } } }',
    'aggregator: { admin: { enabled: "yes" } }',
    'aggregator: { admin: { enabled: true, prt: 2 } }',
    'access: [{ gruops: [a], groups: [a], toolset: [preset:none] }]',
    'access: [{ groups: [a] }]',
    'access: [{ groups: a, toolset: [preset:none] }]',
    'access: { groups: [a], toolset: [preset:none] }',
    'operators: { group: [admins] }',
    'operators: { local: never }',
    'toolsetPresets: { a: { includes: [] } }',
    'toolsetPresets: { a: { include: [{ tol: x_a }] } }',
    'references: { alow: [] }',
    // Plugins.
    'plugins: { auth-servr: false }',
    'plugins: { deny: off }',
    'plugins: { deny: { config: { roles: [] } } }',
    'plugins: { deny: { tools: [] } }',
    'plugins: { audit: { config: { enabld: true } } }',
    'plugins: { metrics: { confg: {} } }',
    'plugins: { limits: { config: { maxCalls: 3 } } }',
    'plugins: { upstream: { config: { maxTool: 3 } } }',
    'plugins: { acme: { config: { a: 1 } } }',
    'plugins: { acme: { modul: ./acme.mjs } }',
    'plugins: { store-file: { config: { maxFileBytes: 1MB } } }',
    'plugins: { vault-redis: { config: { url: 6379 } } }',
    'plugins: [deny]',
  ].map(config),
  // Servers, in both forms.
  ...[
    'type: stdo\ncommand: [node, server.mjs]',
    'command: [node, server.mjs]',
    'type: stdio\ncomand: [node, server.mjs]',
    'type: stdio\ncommand: [node, server.mjs]\nautoStart: "yes"',
    'type: stdio\ncommand: [node, server.mjs]\nenv: [A=1]',
    'type: streamable-http\nurl: [https://mcp.example.com]',
    'type: stdio\ncommand: [node]\ntoolPrefix: 1a',
    resource('MCPServer', 'metadata: { nme: a }\nspec: { type: stdio, command: [node] }'),
    resource('MCPServer', 'metadata: { name: a }\nspec: { type: stdio, comand: [node] }'),
    resource('MCPServer', 'metadata: { name: a }\ntype: stdio'),
    resource('McpServer', 'metadata: { name: a }\nspec: { type: stdio, command: [node] }'),
  ].map(server),
  // Workflows.
  ...[
    'step: []',
    'steps:\n  - id: a\n    tol: x_a_b',
    'steps:\n  - id: a\n    tool: x_a_b\n    retry: { max: many }',
    'steps:\n  - id: a\n    tool: x_a_b\n    allowfailure: true',
    'steps:\n  - id: a\n    tool: x_a_b\n    condition: { fromSteps: b }',
    resource(
      'Workflow',
      'metadata: { name: a }\nspec:\n  steps:\n    - id: a\n      tool: x_a_b\n      arg: {}',
    ),
  ].map(workflow),
  { file: 'toolsetpreset', text: 'includ: []' },
  { file: 'toolsetpreset', text: 'include: [{ tool: a, server: b }]' },
  { file: 'access', text: 'groups: [a]\ntoolsets: [preset:none]\ntoolset: [preset:none]' },
];
