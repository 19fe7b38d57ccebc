import { basename } from 'node:path';
import { definitionNameFault, isObject, nearest } from 'pegboard';
import type { Issue, JsonObject, Origin, ResourceKind, YamlSource } from 'pegboard';
import { documentsIn } from '../kit/definitions/documentsIn.ts';

/** The definition in one file. */
export interface FileDefinition {
  readonly name: string;
  /** Undefined in flat form: such a file belongs to any namespace. */
  readonly namespace: string | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: unknown;
  readonly spec: JsonObject;
  /** Whether the fields are at the top level, without apiVersion, kind, metadata and spec. */
  readonly isFlat: boolean;
  readonly origin: Origin;
}
export interface ParsedDefinition {
  /** Undefined if there are issues. */
  readonly definition: FileDefinition | undefined;
  readonly issues: readonly Issue[];
}

type Path = readonly (string | number)[];
type Fault = (path: Path, message: string) => void;
const RESOURCE_KEYS = ['apiVersion', 'kind', 'metadata', 'spec'];
const METADATA_KEYS = ['name', 'namespace', 'labels', 'annotations'];
/** What an API server writes into a resource, or a gateway into its file, at the top and in metadata: it says nothing here. */
const WRITTEN_BY_SERVERS = new Set([
  'status',
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
]);

/** Parses the definitions of a file, in resource form or flat form: of each document, and of the items of a List. Never throws. */
export function parseDefinitions(
  text: string,
  file: string,
  kind: ResourceKind,
): readonly ParsedDefinition[] {
  const found = documentsIn(text, file).map((source) => parseDefinition(source, kind));
  // An empty document beside others is a line `---` too many.
  const written = found.filter((one) => one !== undefined);
  return written.length > 0 ? written : [emptyFile(file)];
}

function emptyFile(file: string): ParsedDefinition {
  const message = 'the file is empty; write a definition into it or delete it';
  return {
    definition: undefined,
    issues: [{ severity: 'error', code: 'CONFIG_UNREADABLE', message, file, line: 1 }],
  };
}

/** @returns undefined for a document without content */
function parseDefinition(source: YamlSource, kind: ResourceKind): ParsedDefinition | undefined {
  if (source.issues.length > 0) return { definition: undefined, issues: source.issues };
  const { value } = source;
  if (value === undefined || value === null) return undefined;
  const issues: Issue[] = [];
  const fault: Fault = (path, message) => {
    issues.push({ severity: 'error', code: 'CONFIG_INVALID', message, ...source.locate(path) });
  };
  const definition = isObject(value) ? readForm(value, source, kind, fault) : undefined;
  if (!isObject(value)) fault([], 'a definition is a map of keys and values; begin with its first key');
  return issues.length > 0 ? { definition: undefined, issues } : { definition, issues };
}

/** The file name without folder and extension. */
export function baseNameOf(file: string): string {
  return basename(file).replace(/\.ya?ml$/, '');
}

function readForm(value: JsonObject, source: YamlSource, kind: ResourceKind, fault: Fault): FileDefinition {
  return RESOURCE_KEYS.some((key) => key in value)
    ? readResourceForm(value, source, kind, fault)
    : readFlatForm(value, source, fault);
}

function readFlatForm({ name, ...spec }: JsonObject, source: YamlSource, fault: Fault): FileDefinition {
  return {
    name: readName(name, source.file, (message) => fault(['name'], message)),
    namespace: undefined,
    labels: undefined,
    annotations: undefined,
    spec,
    isFlat: true,
    origin: source,
  };
}

function readResourceForm(
  value: JsonObject,
  source: YamlSource,
  kind: ResourceKind,
  fault: Fault,
): FileDefinition {
  refuseUnknown(value, RESOURCE_KEYS, [], fault);
  const { apiVersion, metadata = {}, spec } = value;
  if (typeof apiVersion !== 'string' || !apiVersion.endsWith('/v1alpha1')) {
    fault(['apiVersion'], `apiVersion must end in "/v1alpha1"; write apiVersion: pegboard.dev/v1alpha1`);
  }
  if (value['kind'] !== kind.name) fault(['kind'], kindFault(value['kind'], kind));
  if (!isObject(metadata)) fault(['metadata'], 'metadata must be a map; write name: below it');
  if (!isObject(spec)) {
    fault(
      ['spec'],
      '"spec" is missing or not a map; put the fields below spec, or leave out apiVersion, kind and metadata',
    );
  }
  const about = isObject(metadata) ? metadata : {};
  refuseUnknown(about, METADATA_KEYS, ['metadata'], fault);
  return {
    name: readName(about['name'], source.file, (message) => fault(['metadata', 'name'], message)),
    namespace: readNamespace(about['namespace'], fault),
    labels: readLabels(about['labels'], fault),
    annotations: about['annotations'],
    spec: isObject(spec) ? spec : {},
    isFlat: false,
    origin: originBelowSpec(source, isObject(spec) ? spec : {}),
  };
}

function kindFault(found: unknown, { name, directory }: ResourceKind): string {
  const shown = typeof found === 'string' ? `not ${found}` : 'and the file has no kind';
  return `the folder ${directory} holds definitions of kind ${name}, ${shown}; write kind: ${name} or move the file to the folder of its kind`;
}

function readName(value: unknown, file: string, fault: (message: string) => void): string {
  const name = value ?? baseNameOf(file);
  if (typeof name !== 'string') {
    fault('the name must be a string; put it in quotes');
    return baseNameOf(file);
  }
  const problem = definitionNameFault(name);
  if (problem !== undefined) fault(problem);
  return name;
}

function readNamespace(value: unknown, fault: Fault): string {
  if (value === undefined) return 'default';
  if (typeof value === 'string' && value !== '') return value;
  fault(['metadata', 'namespace'], 'metadata.namespace must be a string that is not empty');
  return 'default';
}

function readLabels(value: unknown, fault: Fault): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) {
    fault(['metadata', 'labels'], 'metadata.labels must be a map of strings');
    return undefined;
  }
  for (const [key, label] of Object.entries(value)) {
    if (typeof label !== 'string')
      fault(['metadata', 'labels', key], `the label ${key} must be a string; put it in quotes`);
  }
  return value as Record<string, string>;
}

function refuseUnknown(value: JsonObject, known: readonly string[], path: Path, fault: Fault): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key) || WRITTEN_BY_SERVERS.has(key)) continue;
    const [close] = nearest(key, known, 1);
    const fix = close === undefined ? `known keys: ${known.join(', ')}` : `did you mean "${close}"?`;
    fault([...path, key], `unknown key "${key}"${path.length > 0 ? ` in ${path.join('.')}` : ''}; ${fix}`);
  }
}

/** The pipeline looks up paths below `spec`, and `name` and `kind`, which are outside it. */
function originBelowSpec(source: YamlSource, spec: JsonObject): Origin {
  const besides: Readonly<Record<string, Path>> = {
    name: ['metadata', 'name'],
    namespace: ['metadata', 'namespace'],
    kind: ['kind'],
  };
  return {
    ...(source.text === undefined ? {} : { text: source.text }),
    locate(path) {
      const [first] = path;
      if (first === undefined) return source.locate([]);
      const beside = typeof first === 'string' && !Object.hasOwn(spec, first) ? besides[first] : undefined;
      return source.locate(beside ?? ['spec', ...path]);
    },
  };
}
