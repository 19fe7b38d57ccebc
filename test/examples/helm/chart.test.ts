import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseTemplate } from '@pegboard/gotpl';
import { parse, parseAllDocuments } from 'yaml';
import { isObject } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { chartValues } from '../../schemas/chartValues.ts';
import { codeIn, tableBelow } from '../../schemas/markdown.ts';
import { ROOT } from '../../support/sources.ts';
import { COPIES } from './copies.ts';

const CHART = join(ROOT, 'examples/helm');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const chartText = (path: string): string => readFileSync(join(CHART, path), 'utf8');

/** Paths of the keys that have no keys below them in the schema. */
function leavesOf({ properties = {} }: JsonObject, prefix = ''): readonly string[] {
  return Object.entries(properties as Readonly<Record<string, JsonObject>>).flatMap(([key, value]) =>
    isObject(value['properties']) ? leavesOf(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

/** Paths of the schemas of objects that may have any keys. */
function openObjects(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const isOpen =
    isObject(value) &&
    value['type'] === 'object' &&
    !['properties', 'additionalProperties', '$ref'].some((key) => key in value);
  const below = Object.entries(value).flatMap(([key, one]) => openObjects(one, [...path, key]));
  return isOpen ? [path.join('.'), ...below] : below;
}

/** The objects of a template, without helm: its names are `pegboard`, its labels none, and YAML within it is JSON. */
function rendered(template: string, values: JsonObject): readonly JsonObject[] {
  const text = template
    .replaceAll('toYaml', 'toJson')
    .replaceAll(/\{\{-? include ("[^"]+")/g, '{{ template $1')
    .replaceAll(/include "pegboard\.labels" \./g, '"{}"')
    .replaceAll(/include "pegboard\.\w+" \./g, '"pegboard"');
  const data = { Values: values, Release: { Namespace: 'tools' } };
  const documents = parseAllDocuments(parseTemplate(text).render(data));
  return documents.map((document) => document.toJS() as JsonObject | null).filter((one) => one !== null);
}

describe('the files of the chart', () => {
  const schema = JSON.parse(chartText('values.schema.json')) as JsonObject;
  const values = parse(chartText('values.yaml')) as JsonObject;

  it('have the schema of config.yaml as it is now (npm run tables)', () => {
    expect(schema).deep.equal(JSON.parse(JSON.stringify(chartValues(schema))));
  });

  it('know what is below each key of config.yaml; only what a foreign plugin is given is free', () => {
    const { config } = schema['$defs'] as { readonly config: JsonObject };
    expect(openObjects(config)).deep.equal(['properties.plugins.additionalProperties.properties.config']);
  });

  it('are the same where they come from elsewhere (npm run tables)', () => {
    for (const [copy, source] of Object.entries(COPIES))
      expect(chartText(copy) === textOf(source), copy).equal(true);
  });

  it('have a default for each key of the schema, and no other', () => {
    const has = (path: string): boolean =>
      path.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), values) !==
      undefined;
    const passwords = ['redis.password', 'redis.sentinel.password'];
    const optional = ['global', ...passwords.flatMap((path) => [`${path}.name`, `${path}.key`])];
    expect(leavesOf(schema).filter((path) => !has(path))).deep.equal(optional);
    const top = Object.keys(schema['properties'] as object).filter((key) => key !== 'global');
    expect(Object.keys(values).sort()).deep.equal(top.sort());
  });

  it('have a row in the README for each top-level key, and for each file of values', () => {
    const rows = tableBelow(chartText('README.md'), 'Values').map(([key = '']) => codeIn(key)[0]);
    expect(rows).deep.equal(Object.keys(values));
  });

  it('have the version of the package', () => {
    const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };
    const chart = parse(chartText('Chart.yaml')) as JsonObject;
    expect(chart['appVersion']).equal(version);
  });

  it('listen on all addresses of the pod, unless the values say otherwise', () => {
    expect(chartText('templates/configmap.yaml')).include(
      'config.yaml: |\n    {{- include "pegboard.config" . |',
    );
    const hostOf = (config: JsonObject): unknown => {
      const template = `${chartText('templates/_helpers.tpl')}{{ include "pegboard.config" . }}`;
      const [made] = rendered(template, { ...values, config });
      return (made?.['aggregator'] as JsonObject)['host'];
    };
    expect(hostOf(values['config'] as JsonObject)).equal('0.0.0.0');
    expect(hostOf({ aggregator: { host: '::1' } })).equal('::1');
  });

  it('reach Redis by sentinels and in a cluster, with passwords from the environment', () => {
    const template = `${chartText('templates/_helpers.tpl')}{{ include "pegboard.config" . }}`;
    const vaultOf = (redis: object): unknown => {
      const all = { ...values, redis: { ...(values['redis'] as object), ...redis } };
      const [made] = rendered(template, all);
      return (made?.['plugins'] as JsonObject)['vault-redis'];
    };
    const url = ['redis://a:26379', 'redis://b:26379'];
    const password = { name: 'redis', key: 'password' };
    expect(vaultOf({ url, sentinel: { master: 'm', password } })).deep.equal({
      config: { url, sentinelMaster: 'm', sentinelPassword: '${env:PEGBOARD_SENTINEL_PASSWORD}' },
    });
    expect(vaultOf({ url, password, cluster: true })).deep.equal({
      config: { url, password: '${env:PEGBOARD_REDIS_PASSWORD}', cluster: true },
    });
  });

  it('read the namespaces of teams, and do no more there than that needs', () => {
    const all = { ...values, namespaces: ['team-a', 'team-b'] };
    const template = `${chartText('templates/_helpers.tpl')}{{ include "pegboard.config" . }}`;
    const [made] = rendered(template, all);
    expect(made)
      .nested.property('plugins.store-kubernetes.config')
      .deep.equal({ namespaces: all.namespaces });
    const roles = rendered(chartText('templates/rbac.yaml'), all).flatMap(
      ({ kind, metadata, rules, roleRef }) =>
        all.namespaces.includes((metadata as { readonly namespace: string }).namespace)
          ? [[kind, (metadata as { readonly namespace: string }).namespace, rules ?? roleRef]]
          : [],
    );
    const own = ['mcpservers', 'workflows'];
    const rules = [
      { apiGroups: ['pegboard.dev'], resources: own, verbs: ['list', 'watch'] },
      { apiGroups: ['pegboard.dev'], resources: own.map((one) => `${one}/status`), verbs: ['patch'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'pegboard' };
    expect(roles).deep.equal(
      all.namespaces.flatMap((namespace) => [
        ['Role', namespace, rules],
        ['RoleBinding', namespace, roleRef],
      ]),
    );
  });

  it('let every authenticated user edit workflows, nothing else, and fewer or none if the values say so', () => {
    /** The objects beside the role of the gateway itself, which no group is bound to. */
    const editors = (rbac: object): unknown => {
      const all = { ...values, rbac: { ...(values['rbac'] as object), ...rbac } };
      const objects = rendered(chartText('templates/rbac.yaml'), all);
      const isOwn = ({ metadata }: JsonObject): boolean => (metadata as JsonObject)['name'] === 'pegboard';
      expect(JSON.stringify(objects.filter(isOwn))).not.include('"Group"');
      const others = objects.filter((object) => !isOwn(object));
      return others.map(({ kind, rules, roleRef, subjects }) => [kind, rules ?? roleRef, subjects]);
    };
    const apiGroup = 'rbac.authorization.k8s.io';
    const verbs = ['create', 'patch', 'delete'];
    const boundTo = (name: string): unknown => [
      ['Role', [{ apiGroups: ['pegboard.dev'], resources: ['workflows'], verbs }], undefined],
      [
        'RoleBinding',
        { apiGroup, kind: 'Role', name: 'pegboard-workflow-editor' },
        [{ kind: 'Group', name, apiGroup }],
      ],
    ];
    expect(editors({})).deep.equal(boundTo('system:authenticated'));
    const { workflowEditors } = values['rbac'] as { readonly workflowEditors: object };
    const subjects = [{ kind: 'Group', name: 'oidc:automation', apiGroup }];
    const narrow = { ...workflowEditors, subjects };
    expect(editors({ workflowEditors: narrow })).deep.equal(boundTo('oidc:automation'));
    const groups = ['oidc:automation'];
    expect(editors({ workflowEditors: { ...workflowEditors, groups } })).deep.equal(
      boundTo('oidc:automation'),
    );
    expect(editors({ workflowEditors: { ...narrow, enabled: false } })).deep.equal([]);
    expect(editors({ create: false })).deep.equal([]);
  });
});
