import { stringify } from 'yaml';
import { readSchema } from '../../kernel/index.ts';
import type { JsonObject } from '../../kernel/index.ts';

const GROUP = 'pegboard.dev';
const ANY = { 'x-kubernetes-preserve-unknown-fields': true };

interface Rule {
  readonly rule: string;
  readonly message: string;
}
interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  /** 1: with `kubectl get -o wide` only. */
  readonly priority?: 1;
}
/** A file below schemas/crd. `npm run tables` writes it. */
export interface CrdFile {
  readonly name: string;
  readonly text: string;
}
interface Crd {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly description: string;
  readonly columns: readonly Column[];
  readonly schema: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly rules?: readonly Rule[];
  /** Whether status is written apart from the rest; absent: it is. */
  readonly hasStatusResource?: false;
}

/** The custom resource definitions: specs follow from schemas/kinds, the rest is here. kubectl reads YAML 1.1, in which the key `on` is a boolean. */
export function customResources(): readonly CrdFile[] {
  return [mcpServer(), workflow(), workflowExecution(), toolsetPreset(), access()].map((crd) => ({
    name: `${crd.plural}.yaml`,
    text: `# Written by npm run tables, from schemas/kinds and test/schemas/customResources.ts.\n${stringify(bodyOf(crd), { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' })}`,
  }));
}

function bodyOf(crd: Crd): object {
  const { kind, plural, shortName, description, columns, schema, required, rules, hasStatusResource } = crd;
  const properties = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    ...schema,
  };
  const version = {
    name: 'v1alpha1',
    served: true,
    storage: true,
    ...(hasStatusResource !== false && { subresources: { status: {} } }),
    additionalPrinterColumns: [
      ...columns,
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    schema: {
      openAPIV3Schema: {
        description,
        type: 'object',
        ...(required.length > 0 && { required }),
        properties,
        ...(rules !== undefined && { 'x-kubernetes-validations': rules }),
      },
    },
  };
  const names = {
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [shortName],
    // kubectl get pegboard
    categories: ['pegboard'],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // An uninstall of the chart must not remove all definitions.
    metadata: { name: `${plural}.${GROUP}`, annotations: { 'helm.sh/resource-policy': 'keep' } },
    spec: { group: GROUP, scope: 'Namespaced', names, versions: [version] },
  };
}

const READY = '.status.conditions[?(@.type=="Ready")]';
const READY_COLUMN: Column = { name: 'Ready', type: 'string', jsonPath: `${READY}.status` };
const REASON_COLUMN: Column = {
  name: 'Reason',
  type: 'string',
  jsonPath: `${READY}.reason`,
  description: 'A word such as Connected, or an error code of Pegboard in CamelCase.',
};
const MESSAGE_COLUMN: Column = { name: 'Message', type: 'string', jsonPath: `${READY}.message`, priority: 1 };
/** A label, and so a selector, takes no more. */
const NAME_RULE: Rule = {
  rule: 'size(self.metadata.name) <= 63',
  message: 'metadata.name has at most 63 characters',
};

function mcpServer(): Crd {
  const { description, ...spec } = specOf('mcpserver');
  return {
    kind: 'MCPServer',
    plural: 'mcpservers',
    shortName: 'mcps',
    description: String(description),
    required: ['spec'],
    columns: [
      READY_COLUMN,
      { name: 'Type', type: 'string', jsonPath: '.spec.type' },
      { name: 'Tools', type: 'integer', jsonPath: '.status.tools' },
      REASON_COLUMN,
      // As a date, kubectl shows a time to come as <invalid>.
      { name: 'Next retry', type: 'string', jsonPath: '.status.nextRetryAfter' },
      { name: 'URL', type: 'string', jsonPath: '.spec.url', priority: 1 },
      { name: 'Command', type: 'string', jsonPath: '.spec.command', priority: 1 },
      { name: 'Version', type: 'string', jsonPath: '.status.serverInfo.version', priority: 1 },
      { name: 'Revision', type: 'string', jsonPath: '.status.protocolVersion', priority: 1 },
      { name: 'Replicas', type: 'string', jsonPath: '.status.replicasReady', priority: 1 },
      MESSAGE_COLUMN,
    ],
    rules: [NAME_RULE],
    schema: {
      spec: { description, ...withAuthRules(spec), 'x-kubernetes-validations': SERVER_RULES },
      status: statusOf({
        state: text(
          'Running, Connected, Idle, Starting, Connecting, Stopping, Stopped, Disconnected, Failed or Auth Required.',
        ),
        tools: number('How many tools the server offers.'),
        toolNames: texts('Their names as they are called, in order; the first 64.'),
        lastError: text('Why the last attempt to connect failed.'),
        lastConnected: time('When the present connection began, or the last one.'),
        lastRestartedAt: text('The latest spec.restartRequestedAt that was carried out.'),
        lastAttempt: time('When the last attempt to connect began.'),
        nextRetryAfter: time('When the next attempt to connect begins.'),
        consecutiveFailures: number('Attempts that have failed since the last success.'),
        restartCount: number('How often it was begun again since the gateway started.'),
        serverInfo: {
          description: 'What the server calls itself, while it is connected.',
          type: 'object',
          properties: { name: text('Its name.'), version: text('Its version.') },
        },
        protocolVersion: text('The revision of MCP that it speaks, while it is connected.'),
        replicas: {
          description:
            'How each replica sees it, where they share a store (Redis): those that are not ready first, at most 10.',
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: text('The replica, as <host>_<pid>.'),
              state: text('As status.state.'),
              reason: text('That of its condition Ready.'),
              ready: { description: 'Whether it can call the server.', type: 'boolean' },
              since: time('Since when.'),
            },
          },
        },
        replicasReady: text('How many replicas can call it, of how many that have told: 2/3.'),
        replicasLeftOut: number('How many more replicas there are than are listed.'),
      }),
    },
  };
}

function withAuthRules(spec: JsonObject): JsonObject {
  const { auth, ...others } = spec['properties'] as Readonly<Record<string, JsonObject>>;
  return { ...spec, properties: { ...others, auth: { ...auth, 'x-kubernetes-validations': AUTH_RULES } } };
}

/** `command` may have two types, so that no rule can see it: Pegboard judges it. */
const SERVER_RULES: readonly Rule[] = [
  {
    rule: "self.type == 'stdio' || has(self.url)",
    message: 'url is required for streamable-http and sse types; write url: https://...',
  },
  {
    rule: "self.type != 'stdio' || !has(self.headers) || size(self.headers) == 0",
    message: 'headers does not belong to a server of type stdio; use env instead',
  },
  {
    rule: "self.type != 'sse' || !has(self.revision) || self.revision != 'modern'",
    message: 'revision modern does not exist over sse; remove it or set type: streamable-http',
  },
  {
    rule: "self.type != 'stdio' || !has(self.auth) || !has(self.auth.type) || self.auth.type == 'none'",
    message: 'auth configuration is only supported for remote server types (streamable-http or sse)',
  },
];
const AUTH_RULES: readonly Rule[] = [
  {
    rule: "!has(self.authorizationServer) || (has(self.type) && self.type == 'oauth')",
    message: 'auth.authorizationServer needs auth.type: oauth',
  },
  {
    rule: '!has(self.authorizationServer) || !has(self.forwardToken) || !self.forwardToken',
    message: 'auth.authorizationServer and auth.forwardToken exclude one another',
  },
  {
    rule: '!has(self.authorizationServer) || !has(self.tokenExchange) || !has(self.tokenExchange.enabled) || !self.tokenExchange.enabled',
    message: 'auth.authorizationServer and auth.tokenExchange exclude one another',
  },
];

function workflow(): Crd {
  const { description, ...spec } = specOf('workflow');
  return {
    kind: 'Workflow',
    plural: 'workflows',
    shortName: 'wf',
    description: String(description),
    required: ['spec'],
    columns: [
      READY_COLUMN,
      { name: 'Steps', type: 'integer', jsonPath: '.status.steps' },
      REASON_COLUMN,
      MESSAGE_COLUMN,
    ],
    rules: [NAME_RULE],
    schema: {
      spec: {
        description,
        ...spec,
        'x-kubernetes-validations': [
          { rule: 'has(self.steps) && size(self.steps) > 0', message: 'a workflow needs at least one step' },
        ],
      },
      status: statusOf({
        steps: number('How many steps the workflow has.'),
        stepCount: number('The same as steps.'),
        referencedTools: texts('The tools that its steps and conditions call, each once.'),
        validationErrors: texts('Why the stored definition is not in force; absent if it is.'),
      }),
    },
  };
}

const ACCEPTED_COLUMN: Column = {
  name: 'Accepted',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Accepted")].status',
};
const ERRORS = {
  validationErrors: texts('Why the stored definition is not in force; absent if it is.'),
};

function toolsetPreset(): Crd {
  const { description, ...spec } = specOf('toolsetpreset');
  return {
    kind: 'ToolsetPreset',
    plural: 'toolsetpresets',
    shortName: 'tsp',
    description: String(description),
    required: ['spec'],
    columns: [
      ACCEPTED_COLUMN,
      REASON_COLUMN,
      { name: 'Description', type: 'string', jsonPath: '.spec.description' },
      MESSAGE_COLUMN,
    ],
    schema: { spec: { description, ...spec }, status: statusOf(ERRORS) },
  };
}

function access(): Crd {
  const { description, ...spec } = specOf('access');
  return {
    kind: 'Access',
    plural: 'accesses',
    shortName: 'acc',
    description: String(description),
    required: ['spec'],
    columns: [
      ACCEPTED_COLUMN,
      { name: 'Groups', type: 'string', jsonPath: '.spec.groups' },
      { name: 'Toolset', type: 'string', jsonPath: '.spec.toolset' },
      REASON_COLUMN,
      MESSAGE_COLUMN,
    ],
    schema: { spec: { description, ...spec }, status: statusOf(ERRORS) },
  };
}

/** A run; written by Pegboard only, spec and status in one write, so that it has no subresource. */
function workflowExecution(): Crd {
  const state = { ...text('How far it is.'), enum: ['running', 'completed', 'failed', 'cancelled'] };
  const times = {
    startedAt: time('When it began.'),
    completedAt: time('When it ended.'),
    durationMs: number('How long it took, in milliseconds.'),
  };
  const contents = 'only with plugins.store-kubernetes.config.content: true';
  const step = {
    type: 'object',
    ...ANY,
    properties: {
      id: text('Id of the step.'),
      tool: text('The tool that it called.'),
      state: text('running, completed, failed or skipped.'),
      ...times,
    },
  };
  return {
    kind: 'WorkflowExecution',
    plural: 'workflowexecutions',
    shortName: 'wfe',
    description: 'One run of a workflow, written by Pegboard. To change it changes no run.',
    required: [],
    hasStatusResource: false,
    columns: [
      { name: 'Workflow', type: 'string', jsonPath: '.spec.workflow' },
      { name: 'State', type: 'string', jsonPath: '.status.state' },
      { name: 'Steps', type: 'integer', jsonPath: '.status.stepCount' },
      { name: 'Duration(ms)', type: 'integer', jsonPath: '.status.durationMs' },
      {
        name: 'Failed step',
        type: 'string',
        jsonPath: '.status.steps[?(@.state=="failed")].id',
        priority: 1,
      },
      { name: 'Error', type: 'string', jsonPath: '.status.error', priority: 1 },
    ],
    rules: [{ rule: 'has(self.spec) || has(self.record)', message: 'spec is required' }],
    schema: {
      spec: {
        description: 'What was asked for.',
        type: 'object',
        required: ['workflow'],
        properties: {
          workflow: text('Name of the workflow.'),
          input: { description: `Arguments of the run, with secrets masked; ${contents}.`, ...ANY },
        },
      },
      status: {
        description: 'What came of it, within the bounds of plugins.workflow.config.',
        type: 'object',
        ...ANY,
        properties: {
          state,
          ...times,
          stepCount: number('How many steps it has begun.'),
          steps: { description: 'The steps so far.', type: 'array', items: step },
          error: text(`Why it failed; ${contents}.`),
          result: { description: `Its answer, with secrets masked; ${contents}.`, ...ANY },
          sealed: text('The whole run, which Pegboard alone can read; absent with content: true.'),
        },
      },
      record: {
        description: 'The run, in an object that was written before there were spec and status.',
        type: 'object',
        ...ANY,
      },
    },
  };
}

/** Source: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties */
function statusOf(properties: Readonly<Record<string, unknown>>): object {
  const condition = {
    type: 'object',
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    properties: {
      type: text('Ready, Accepted, Reachable or Authorized.'),
      status: { ...text('Whether it holds.'), enum: ['True', 'False', 'Unknown'] },
      reason: text(
        'A word such as Connected, or an error code of Pegboard in CamelCase, which the message begins with.',
      ),
      message: text('For people.'),
      lastTransitionTime: time('When status last changed.'),
      observedGeneration: number('metadata.generation that the condition is about.'),
    },
  };
  return {
    description: 'What Pegboard has observed.',
    type: 'object',
    properties: {
      ...properties,
      observedGeneration: number('metadata.generation that the status is about.'),
      conditions: {
        description:
          'Accepted: the definition is in force. Reachable: the server answers. Authorized: it needs no sign-in. Ready: all of these.',
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
        items: condition,
      },
    },
  };
}

function text(description: string): JsonObject {
  return { description, type: 'string' };
}
function time(description: string): JsonObject {
  return { description, type: 'string', format: 'date-time' };
}
function texts(description: string): JsonObject {
  return { description, type: 'array', items: { type: 'string' } };
}
function number(description: string): JsonObject {
  return { description, type: 'integer' };
}

function specOf(kind: string): JsonObject {
  const root = readSchema(`kinds/${kind}`);
  return structural(root, root);
}

const STEP_RULE: Rule = {
  rule: '(has(self.tool) ? 1 : 0) + (has(self.forEach) || has(self.for_each) ? 1 : 0) + (has(self.parallel) ? 1 : 0) == 1',
  message: 'a step has exactly one of tool, forEach and parallel',
};
const SUB_STEP_RULE: Rule = { rule: 'has(self.tool)', message: 'a step within another one has a tool' };
const RULES: Readonly<Record<string, Rule>> = { step: STEP_RULE, subStep: SUB_STEP_RULE };
/** Keys of JSON Schema that OpenAPI v3 does not have as an API server takes it. */
const DROPPED = ['$schema', '$id', '$defs', 'title', 'writeOnly', 'uniqueItems', 'additionalProperties'];

/** A structural schema: one type for each value, no references. Each way in which it differs from the kind's schema is listed in
 *  schemas/crd/README.md. Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema */
function structural(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref, ...given } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? '';
    const target = (root['$defs'] as Record<string, JsonObject>)[name] ?? {};
    const rule = RULES[name];
    const below = structural({ ...target, ...given }, root);
    return rule === undefined ? below : { ...below, 'x-kubernetes-validations': [rule] };
  }
  const kept = Object.fromEntries(
    Object.entries(given).filter(([key, value]) => !DROPPED.includes(key) && value !== 'address'),
  );
  const described = kept['description'] === undefined ? {} : { description: kept['description'] };
  const type = typeOf(given);
  if (type === undefined) return { ...described, ...ANY };
  const { properties, items, additionalProperties } = given as Readonly<
    Record<string, JsonObject | undefined>
  >;
  const isNullable = Array.isArray(given['type']) && given['type'].includes('null');
  const isFree = type === 'object' && properties === undefined && typeof additionalProperties !== 'object';
  return {
    ...kept,
    type,
    ...(isNullable && { nullable: true }),
    ...(isFree && ANY),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, structural(value as JsonObject, root)]),
      ),
    }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: structural(additionalProperties, root),
    }),
    ...(type === 'array' && { items: items === undefined ? ANY : structural(items, root) }),
    ...(given['uniqueItems'] === true && { 'x-kubernetes-list-type': 'set' }),
  };
}

/** @returns undefined if values of several types are to be kept as they are */
function typeOf({ type, enum: values }: JsonObject): string | undefined {
  if (typeof type === 'string') return type;
  if (!Array.isArray(type)) return Array.isArray(values) ? typeof values[0] : undefined;
  const types = (type as readonly string[]).filter((one) => one !== 'null');
  const key = [...types].sort().join();
  if (types.length === 1) return types[0];
  // Durations and versions are texts.
  return key === 'number,string' ? 'string' : undefined;
}
