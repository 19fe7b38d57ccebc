import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readSchema } from '../../kernel/lib/readSchema.ts';
import { ROOT } from '../support/sources.ts';
import { customResources } from './customResources.ts';

const FOLDER = join(ROOT, 'schemas/crd');

/** Steps and the steps within them have the same differences. */
const STEP = /^Workflow\.(steps\[\](\.forEach\.steps\[\]|\.parallel\[\])?|onFailure\[\]|finally\[\])/;

type Node = Readonly<Record<string, unknown>>;

/** Each place where a custom resource takes something else than its kind, as the README lists it. */
function differences(kind: Node, crd: Node, root: Node, path: string): string[] {
  const { $ref } = kind as { readonly $ref?: string };
  if ($ref !== undefined) {
    const target = (root['$defs'] as Record<string, Node>)[$ref.split('/').at(-1) ?? ''] ?? {};
    return differences({ ...target, ...kind, $ref: undefined }, crd, root, path);
  }
  const own = typesOf(kind);
  const taken = (crd['type'] ?? 'any') as string;
  const here = own === taken ? [] : [`${path}: ${own} → ${taken}`];
  const properties = Object.entries((kind['properties'] ?? {}) as Record<string, Node>);
  const below = properties.flatMap(([key, value]) => {
    const other = (crd['properties'] as Record<string, Node> | undefined)?.[key];
    return other === undefined ? [] : differences(value, other, root, `${path}.${key}`);
  });
  const [items, otherItems] = [kind['items'], crd['items']] as (Node | undefined)[];
  const inList = items && otherItems ? differences(items, otherItems, root, `${path}[]`) : [];
  return [...here, ...below, ...inList];
}

/** Types that a kind allows, joined by ` or `; null is taken as nullable. */
function typesOf({ type, enum: values }: Node): string {
  if (type === undefined) return Array.isArray(values) ? typeof values[0] : 'any';
  return ((Array.isArray(type) ? type : [type]) as readonly string[])
    .filter((one) => one !== 'null')
    .join(' or ');
}

describe('schemas/crd', () => {
  it('is what the kinds make it', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
    expect(files.sort()).deep.equal(
      customResources()
        .map(({ name }) => name)
        .sort(),
    );
    for (const { name, text } of customResources())
      expect(parse(readFileSync(join(FOLDER, name), 'utf8')), `${name}: npm run tables`).deep.equal(
        parse(text),
      );
  });

  it('lists in its README each place that takes something else than the kind, and no other', () => {
    const found = customResources().flatMap(({ name, text }) => {
      const { versions } = (parse(text) as { readonly spec: { readonly versions: readonly Node[] } }).spec;
      const { spec } = (
        versions[0]?.['schema'] as { readonly openAPIV3Schema: { readonly properties: Record<string, Node> } }
      ).openAPIV3Schema.properties;
      // Runs are written by Pegboard only.
      if (spec === undefined || name === 'workflowexecutions.yaml') return [];
      const kind = readSchema(`kinds/${name.replace(/(?<=ss)es\.yaml$|s\.yaml$/, '')}`);
      return differences(kind, spec, kind, String(kind['title'])).map((one) =>
        one.replace(STEP, 'Workflow step'),
      );
    });
    const listed = [
      ...readFileSync(join(FOLDER, 'README.md'), 'utf8').matchAll(
        /^\| `([^`]+)` +\| ([^|]+?) +\| ([^|]+?) +\|$/gm,
      ),
    ];
    expect(listed.map(([, place, kind, crd]) => `${place}: ${kind} → ${crd}`)).deep.equal([
      ...new Set(found),
    ]);
  });
});
