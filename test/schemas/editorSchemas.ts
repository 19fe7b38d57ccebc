import { isObject, readSchema } from '../../kernel/index.ts';
import type { JsonObject } from '../../kernel/index.ts';
import { composedConfig } from './composedConfig.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const KINDS = ['access', 'mcpserver', 'toolsetpreset', 'workflow'];
/** What editors know; others of ours are checked by the gateway alone. */
const FORMATS = ['date-time', 'uri'];
const TYPE_NAME = /^(?!MCPServer|Workflow$|ToolsetPreset$|Access$)[A-Z]\w*$/;
/** Keys that programs write. */
const UNSUGGESTED = new Set(['restartRequestedAt']);
const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  baseUrl: ['https://gateway.example.com'],
  issuerUrl: ['https://login.example.com'],
  extraCaFile: ['certificates/company.pem'],
  proxy: ['http://proxy.example.com:3128', 'none'],
  noProxy: [['.example.com', '10.0.0.0/8']],
  command: [['npx', '-y', '@modelcontextprotocol/server-filesystem', '/some/folder']],
  url: ['https://mcp.example.com/mcp'],
  env: [{ API_TOKEN: '${env:API_TOKEN}' }],
  toolset: [['preset:read-only'], ['server:files']],
  groups: [['developers']],
  required: [['auth-server', 'deny']],
  includeTools: [['read_*']],
  issuer: ['https://login.example.com'],
  jwksUrl: ['https://login.example.com/keys'],
  publicUrl: ['https://gateway.example.com'],
  clientId: ['pegboard'],
  clientSecret: ['${file:secrets/client}'],
  clientSecretFile: ['secrets/client'],
  registrationToken: ['${file:secrets/registration}'],
  registrationTokenFile: ['secrets/registration'],
  idpTokenEndpoint: ['https://login.example.com/token'],
  expectedIssuer: ['https://login.example.com'],
  grantIssuer: ['https://login.example.com'],
  connectorId: ['github'],
  audience: ['billing'],
  resource: ['https://billing.example.com'],
  scopes: ['openid profile'],
  servername: ['mcp.example.com'],
  serverName: ['redis.example.com'],
  signingKeyFile: ['keys/audit.pem'],
  exporter: ['otlp'],
  endpoint: ['http://127.0.0.1:4318'],
  image: ['registry.example.com/pegboard:0.1.0'],
  gatewayNamespace: ['pegboard'],
  namespace: ['pegboard'],
  context: ['production'],
  model: ['text-embedding-3-small'],
  dimensions: [512],
  apiKey: ['${env:EMBEDDINGS_KEY}'],
  folder: ['models/embedding'],
  username: ['pegboard'],
  password: ['${file:secrets/redis}'],
  sentinelMaster: ['pegboard'],
  sentinelUsername: ['pegboard'],
  sentinelPassword: ['${file:secrets/sentinel}'],
  secret: ['${file:secrets/pegboard}'],
  module: ['./acme.mjs', 'pegboard-acme'],
  tool: ['x_files_read_file'],
  pattern: ['x_files_*'],
  server: ['files'],
  workflow: ['nightly'],
  preset: ['read-only'],
  label: ['team=billing'],
  name: ['files'],
  toolPrefix: ['fs'],
  cwd: ['/srv/files'],
  id: ['read'],
  callTimeout: ['30s', 30],
  startTimeout: ['1m', 60],
  idleTimeout: ['10m', 600],
  instanceIdleTimeout: ['10m', 600],
  maxInstances: [10],
  maxInstancesPerOwner: [2],
  memoryMb: [512],
  cpus: [1],
  tokenEndpoint: ['https://login.example.com/token'],
  authorizationEndpoint: ['https://login.example.com/authorize'],
  revocationEndpoint: ['https://login.example.com/revoke'],
  repository: ['https://github.com/example/server'],
  version: ['1.2.0'],
};
/** Words of keys that are written in capitals. */
const CAPITALS = /\b(?:ca|dns|http|https|id|idp|ip|jwks|json|mcp|oauth|otlp|tls|ttl|uri|url)\b/g;
type Schemas = Readonly<Record<string, JsonObject>>;

export interface EditorSchema {
  /** Its file below schemas/editor. */
  readonly name: string;
  readonly schema: JsonObject;
}

/** What schemas/editor holds. On one line, because only programs read them. */
export function editorFiles(): readonly { readonly name: string; readonly text: string }[] {
  return editorSchemas().map(({ name, schema }) => ({ name, text: `${JSON.stringify(schema)}\n` }));
}

/** The schemas of config.yaml as a whole, and of the files of each kind in both of their forms. */
export function editorSchemas(): readonly EditorSchema[] {
  const { config, definitions } = composedConfig();
  const whole = { ...headOf('config', readSchema('config')), ...config, $defs: definitions };
  return [
    { name: 'config', schema: shown(whole) },
    ...KINDS.map((name) => ({ name, schema: shown(ofBothForms(name)) })),
  ].map(({ name, schema }) => ({ name: `${name}.schema.json`, schema }));
}

function headOf(name: string, { title }: JsonObject): JsonObject {
  return { $schema: DRAFT, $id: `https://pegboard.dev/schemas/editor/${name}.schema.json`, title };
}

/** A file has the fields of a definition at its top, or below `spec`, as resources of Kubernetes have; or it is a list of those. */
function ofBothForms(name: string): JsonObject {
  const kindSchema = without(readSchema(`kinds/${name}`), ['$schema', '$id']);
  const { title, description, $defs, ...spec } = kindSchema as JsonObject & { readonly properties: Schemas };
  const kind = String(title);
  // Written out twice: beside a reference, the language server does not see what is deprecated.
  const bare = {
    ...spec,
    title: `${kind}, its fields alone`,
    properties: { name: NAME, ...spec.properties },
  };
  const list = {
    title: `List of ${kind}`,
    type: 'object',
    required: ['kind', 'items'],
    properties: {
      apiVersion: { description: 'Version of the list.', type: 'string' },
      kind: { description: 'List, or the kind with List behind it.', type: 'string', pattern: '^\\w*List$' },
      metadata: { description: 'What an API server adds to the list.', type: 'object' },
      items: { description: 'The definitions.', type: 'array', items: { $ref: '#/$defs/resource' } },
    },
    additionalProperties: false,
  };
  return {
    ...headOf(name, { title }),
    description,
    type: 'object',
    unevaluatedProperties: false,
    oneOf: [{ $ref: '#/$defs/fields' }, { $ref: '#/$defs/resource' }, { $ref: '#/$defs/list' }],
    $defs: { ...($defs as Schemas | undefined), spec, fields: bare, resource: resourceOf(kind), list },
  };
}

function resourceOf(kind: string): JsonObject {
  const text = { type: 'string' };
  const texts = { type: 'object', additionalProperties: text };
  return {
    title: `${kind}, as a resource of Kubernetes`,
    type: 'object',
    required: ['apiVersion', 'kind', 'spec'],
    properties: {
      apiVersion: {
        description: 'The version of this form.',
        type: 'string',
        pattern: '/v1alpha1$',
        default: 'pegboard.dev/v1alpha1',
      },
      kind: { description: 'What it is.', const: kind },
      metadata: {
        description: 'What it is called.',
        type: 'object',
        properties: {
          name: NAME,
          namespace: {
            description: 'It counts for gateways of this namespace.',
            type: 'string',
            minLength: 1,
          },
          labels: { description: 'Labels of its tools, for toolsets.', ...texts },
          annotations: { description: 'What programs note.', ...texts },
          ...WRITTEN_BY_SERVERS,
        },
        additionalProperties: false,
      },
      spec: { description: 'Its fields.', $ref: '#/$defs/spec' },
      status: { description: 'What a gateway has written.', type: 'object', doNotSuggest: true },
    },
    additionalProperties: false,
  };
}

const NAME = {
  description: 'Its name; without it, that of the file.',
  type: 'string',
  minLength: 1,
};
/** Members of metadata that an API server adds. */
const WRITTEN_BY_SERVERS: Schemas = Object.fromEntries(
  [
    'creationTimestamp',
    'deletionGracePeriodSeconds',
    'deletionTimestamp',
    'finalizers',
    'generateName',
    'generation',
    'managedFields',
    'ownerReferences',
    'resourceVersion',
    'selfLink',
    'uid',
  ].map((key) => [key, { description: 'Written by an API server.', doNotSuggest: true }]),
);

/** As editors read it: with the name to write in place of a former one, and examples. */
function shown(schema: JsonObject): JsonObject {
  return nodeOf(schema, undefined) as JsonObject;
}

function nodeOf(value: unknown, key: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => nodeOf(one, undefined));
  if (!isObject(value)) return value;
  const { title, format, properties, default: fallback, ...others } = without(value, ['advice']);
  const entries = Object.entries(others).map(([word, one]) => [
    word,
    word === '$defs' ? mapped(one as Schemas, false) : nodeOf(one, undefined),
  ]);
  const rest = Object.fromEntries(entries) as JsonObject;
  return {
    // A name of our types says nothing to people.
    ...(key !== undefined && { title: titleOf(key) }),
    ...(title !== undefined && !TYPE_NAME.test(title as string) && { title }),
    ...rest,
    ...(typeof format === 'string' && FORMATS.includes(format) && { format }),
    ...(fallback !== undefined && { default: fallback }),
    ...(properties !== undefined && { properties: mapped(properties as Schemas, true) }),
    // The plugin itself names what is wrong in a preset.
    ...(rest['additionalProperties'] === true && properties !== undefined && { additionalProperties: false }),
    ...(rest['description'] === 'Exactly one key.' && { minProperties: 1, maxProperties: 1 }),
    ...(key !== undefined && hintsOf(key, rest)),
  };
}

function mapped(schemas: Schemas, areKeys: boolean): Schemas {
  const entries = Object.entries(schemas).map(([key, one]) => [key, nodeOf(one, areKeys ? key : undefined)]);
  return Object.fromEntries(entries) as Schemas;
}

/** A key in words, as a heading: `issuerUrl` → `issuer URL`. */
function titleOf(key: string): string {
  const words = key
    .replaceAll(/[_-]/g, ' ')
    .replaceAll(/(?<=[a-z])[A-Z]+/g, ' $&')
    .toLowerCase();
  return words.replaceAll(CAPITALS, (word) => word.toUpperCase());
}

function hintsOf(key: string, schema: JsonObject): JsonObject {
  const { description } = schema;
  const [, name] = /^The same as (\w+)/.exec(String(description)) ?? [];
  const examples = (EXAMPLES[key] ?? []).filter((one) => fits(one, schema));
  return {
    ...(name !== undefined && { deprecated: true, deprecationMessage: `Write ${name} in place of ${key}.` }),
    ...(UNSUGGESTED.has(key) && { doNotSuggest: true }),
    ...(examples.length > 0 && { examples }),
  };
}

function without(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function fits(value: unknown, { type, enum: values }: JsonObject): boolean {
  const own = Array.isArray(value) ? 'array' : typeof value;
  const types = [type].flat();
  const isOfType = types.includes(own) || (types.includes('integer') && Number.isInteger(value));
  return isOfType && (!Array.isArray(values) || values.includes(value));
}
