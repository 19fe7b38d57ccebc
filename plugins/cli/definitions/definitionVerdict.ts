import { findingsIn, isObject } from 'pegboard';
import type { Finding, Invocation, JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';
import { textOf } from '../gateway.ts';
import type { Gateway } from '../gateway.ts';
import { toolsOf } from './definitionKinds.ts';
import type { Document } from './readDocuments.ts';

/** What the gateway finds in a definition, as `file:line:column: message`. */
export interface DefinitionVerdict {
  readonly kind: string;
  readonly name: string;
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Asks the gateway to check a definition; it writes nothing. @throws Failure */
export async function verdictOn(gateway: Gateway, document: Document): Promise<DefinitionVerdict> {
  const { kind, name, spec } = document;
  const answer = await gateway.call(`${toolsOf(kind)}_validate`, { name, ...spec });
  const text = textOf(answer);
  // A workflow with errors comes as an error result with the same object.
  if (!text.startsWith('{')) throw new Failure(text);
  const { valid, errors, warnings } = JSON.parse(text) as JsonObject;
  const placed = (list: unknown): readonly string[] =>
    (Array.isArray(list) ? (list as unknown[]) : []).map((finding) => {
      const { path, message } = read(finding, document);
      return `${document.place(path)}: ${message}`;
    });
  return {
    kind: kind.kind,
    name,
    valid: valid === true,
    errors: placed(errors),
    warnings: placed(warnings),
  };
}

/** Checks a definition by its own rules alone, without a gateway. @throws Failure if config.yaml cannot be read */
export async function verdictHere(
  { plugins }: Pick<Invocation, 'plugins'>,
  { kind: { kind }, name, spec, place }: Document,
): Promise<DefinitionVerdict> {
  const { on, issues } = await plugins();
  const rules = on.flatMap(({ kinds = [] }) => kinds).find((one) => one.name === kind);
  if (rules === undefined)
    throw new Failure(issues[0]?.message ?? `no plugin that is on knows the kind ${kind}`);
  // The check fills in defaults.
  const filled = structuredClone(spec);
  const misfits = findingsIn(rules.schema, filled);
  const findings = misfits.length > 0 ? misfits : (rules.read?.(filled, name).findings ?? []);
  const placed = (severity: Finding['severity']): readonly string[] =>
    findings
      .filter((one) => (one.severity ?? 'error') === severity)
      .map(({ path, message }) => `${place(path)}: ${message}`);
  const errors = placed('error');
  return { kind, name, valid: errors.length === 0, errors, warnings: placed('warning') };
}

interface Found {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Findings on workflows have a path, `steps[1].tool`; those on servers begin with the field. */
function read(finding: unknown, { kind, name, spec }: Document): Found {
  if (isObject(finding)) {
    const path = String(finding['path'])
      .split(/[.[\]]+/)
      .filter((part) => part !== '');
    return { path, message: String(finding['message']) };
  }
  const message = String(finding).replace(`${kind.kind} ${name}: `, '');
  const words = [/^unknown key "([^"]+)"/, /^([\w.-]+)/].map((pattern) => pattern.exec(message)?.[1] ?? '');
  const path = words.map((word) => word.split('.')).find(([field = '']) => Object.hasOwn(spec, field));
  return { path: path ?? [], message };
}
