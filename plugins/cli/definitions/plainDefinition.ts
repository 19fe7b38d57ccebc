import { isDeepStrictEqual } from 'node:util';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Document, parse, stringify, visit } from 'yaml';
import { hiddenSpec } from '../../kit/secrets/hiddenSpec.ts';
import type { Gateway } from '../gateway.ts';
import { SERVER_KIND, toolsOf } from './definitionKinds.ts';
import type { DefinitionKind } from './definitionKinds.ts';

/** A definition as files hold it, without apiVersion. */
export interface PlainDefinition {
  readonly kind: DefinitionKind;
  readonly name: string;
  readonly labels?: JsonObject;
  readonly spec: JsonObject;
}

/** The names of the definitions in force. @throws Failure */
export async function namesIn(gateway: Gateway, kind: DefinitionKind): Promise<readonly string[]> {
  const answer = await gateway.readCore(`${toolsOf(kind)}_list`);
  const list = answer[kind === SERVER_KIND ? 'mcpServers' : 'workflows'] as readonly JsonObject[];
  return list.map(({ name }) => String(name));
}

/** A definition in force; secrets in it are hidden. @throws Failure */
export async function definitionIn(
  gateway: Gateway,
  kind: DefinitionKind,
  name: string,
): Promise<PlainDefinition> {
  const answer = await gateway.readCore(`${toolsOf(kind)}_get`, { name });
  // A workflow comes as the text of its file, a server as a record with its state.
  const file: unknown = typeof answer['yaml'] === 'string' ? parse(answer['yaml']) : undefined;
  const { metadata, spec } = isObject(file) ? file : { metadata: answer, spec: answer };
  const labels = isObject(metadata) ? metadata['labels'] : undefined;
  return {
    kind,
    name,
    ...(isObject(labels) && { labels }),
    spec: withoutDefaults(kind, isObject(spec) ? spec : {}),
  };
}

/** The text of a definition's file. @param namespace written unless it is the usual one */
export function fileText({ kind, name, labels, spec }: PlainDefinition, namespace = 'default'): string {
  const metadata = { name, ...(namespace !== 'default' && { namespace }), ...(labels && { labels }) };
  const document = new Document({ apiVersion: 'pegboard.dev/v1alpha1', kind: kind.kind, metadata, spec });
  visit(document, {
    // kubectl reads YAML 1.1, in which a plain `on` is true and 1:30 a number.
    Scalar: (_, node) => {
      const { value } = node;
      if (typeof value === 'string' && /^["']/.test(stringify(value, { version: '1.1' })))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** The same with sorted keys and without secrets, to be compared and shown. */
export function comparableText(definition: PlainDefinition): string {
  const spec = withoutSecrets(definition);
  return stringify(
    { kind: definition.kind.kind, name: definition.name, spec: withoutDefaults(definition.kind, spec) },
    { lineWidth: 0, sortMapEntries: true },
  );
}

/** The arguments of an update that turns `before` into `after`: fields that are absent afterwards are cleared. */
export function updateArguments(before: PlainDefinition, after: PlainDefinition): JsonObject {
  const gone = Object.keys(before.spec).filter((key) => !Object.hasOwn(after.spec, key));
  return { name: after.name, ...after.spec, ...Object.fromEntries(gone.map((key) => [key, null])) };
}

/** The fields of the kind whose values are not its defaults. */
function withoutDefaults({ fields }: DefinitionKind, spec: JsonObject): JsonObject {
  const kept = Object.entries(spec).filter(
    ([key, value]) => Object.hasOwn(fields, key) && !isDeepStrictEqual(value, fields[key]?.['default']),
  );
  return Object.fromEntries<unknown>(kept);
}

/** As the gateway's own answers show it. */
function withoutSecrets({ kind, spec }: PlainDefinition): JsonObject {
  if (kind !== SERVER_KIND) return spec;
  const { command } = spec;
  const listed = { ...spec, ...(command !== undefined && { command: [command].flat() }) };
  return hiddenSpec(listed, { properties: kind.fields });
}
