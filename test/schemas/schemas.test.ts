import { join } from 'node:path';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { JsonObject } from '../../kernel/index.ts';
import { isValidSchema, validate } from '../../kernel/config/validate.ts';
import { isMarked } from '../../kernel/lib/markedSecrets.ts';
import { SCHEMA_NAME, readSchema } from '../../kernel/lib/readSchema.ts';
import { builtInNames, loadBuiltIn } from '../../kernel/loader.ts';
import { ROOT } from '../support/sources.ts';
import { sampleOf } from './sampleOf.ts';

type Schema = Readonly<Record<string, unknown>>;

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const FOLDER = join(ROOT, 'schemas/');
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.json'),
);

function read(file: string): Schema {
  return readSchema(file.replace('.schema.json', ''));
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

/** Every property below a schema, with its path; free-form maps have none. */
function propertiesOf(schema: Schema, path = ''): [string, Schema][] {
  const own = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const parts = ['items', 'additionalProperties', 'then', 'else', 'anyOf', 'oneOf', 'allOf', '$defs'].flatMap(
    (keyword) => {
      const part = schema[keyword];
      if (!isObject(part)) return [];
      if (keyword === '$defs' || Array.isArray(part)) return Object.values(part) as Schema[];
      return [part];
    },
  );
  return [
    ...own.flatMap(([name, property]): [string, Schema][] => [
      [`${path}/${name}`, property],
      ...propertiesOf(property, `${path}/${name}`),
    ]),
    ...parts.flatMap((part) => propertiesOf(part, `${path}/*`)),
  ];
}

/** Whether YAML 1.1 and 1.2 read the word as a text: not on, yes, n, null, 1_000, 1:30. */
function isPlain(word: string): boolean {
  return parse(word) === word && parse(word, { version: '1.1' }) === word;
}

describe('Schemas', () => {
  it('are searched for the words that a reader of YAML 1.1 changes', () => {
    const words = ['on', 'Off', 'yes', 'no', 'y', 'N', 'true', 'null', '~', '1_000', '1:30', '0x1f', '.inf'];
    expect([...words, 'retryOn', 'auto'].filter(isPlain)).deep.equal(['retryOn', 'auto']);
  });

  for (const file of files) {
    describe(file, () => {
      const schema = read(file);

      it('compiles, also a second time', () => {
        expect(isValidSchema(schema)).to.equal(undefined);
        expect(isValidSchema(read(file))).to.equal(undefined);
        expect(schema['$schema'] ?? DRAFT).to.equal(DRAFT);
      });

      it('ends in .schema.json and refuses unknown keys', () => {
        expect(file).to.match(/\.schema\.json$/);
        expect(schema['type']).to.equal('object');
        expect(schema['additionalProperties'] ?? schema['unevaluatedProperties']).to.equal(false);
      });

      it('has defaults that it accepts itself', () => {
        for (const [path, property] of propertiesOf(schema)) {
          if (property['default'] === undefined) continue;
          const bare = { ...property, $defs: schema['$defs'] };
          expect(validate(bare, property['default']).findings, path).to.deep.equal([]);
        }
      });

      // Its members are those of MCP.
      if (file === 'protocol.schema.json') return;

      it('has no key and no value that a reader of YAML 1.1 changes, as kubectl and helm are', () => {
        const words = propertiesOf(schema).flatMap(([path, { enum: values = [] }]) => [
          path.split('/').at(-1) ?? '',
          ...(values as unknown[]),
        ]);
        const changed = words.filter((word) => typeof word === 'string' && !isPlain(word));
        // A former key, which stored objects have.
        const isOfWorkflows = file.endsWith('/workflow.schema.json') && !file.startsWith('config/');
        expect(changed.filter((word) => !isOfWorkflows || word !== 'on')).deep.equal([]);
      });

      it('describes every key', () => {
        const mute = propertiesOf(schema).filter(
          ([, property]) => property['description'] === undefined && property['const'] === undefined,
        );
        expect(mute.map(([path]) => path)).to.deep.equal([]);
      });

      it('marks as writeOnly every text that its name says is a secret', () => {
        const bare = propertiesOf(schema).filter(
          ([path, property]) =>
            /(password|passphrase|secret|token|credentials?|apiKey)$/i.test(path) &&
            JSON.stringify([property['type'], property['anyOf']]).includes('string') &&
            !isMarked(property, []),
        );
        expect(bare.map(([path]) => path)).to.deep.equal([]);
      });
    });
  }

  it('accept an empty configuration of every built-in plugin', async () => {
    for (const name of await builtInNames()) {
      const plugin = await loadBuiltIn(name);
      if (plugin.select === undefined)
        expect(validate(plugin.configSchema, {}).findings, name).to.deep.equal([]);
    }
  });

  it('are those of every built-in plugin, so that a start compiles none', async () => {
    for (const name of await builtInNames())
      expect((await loadBuiltIn(name)).configSchema, name).to.have.property(SCHEMA_NAME);
  });

  it('in config/ each belong to a plugin', () => {
    for (const file of files.filter((name) => name.startsWith('config/'))) {
      const name = file.replace('config/', '').replace('.schema.json', '');
      expect(existsSync(join(ROOT, `plugins/${name}/index.ts`)), name).to.equal(true);
    }
  });

  it('let a sample of every key of the chart’s values in, which the suite of the chart passes on', () => {
    const values = JSON.parse(readFileSync(join(ROOT, 'examples/helm/values.schema.json'), 'utf8')) as {
      readonly $defs: Readonly<Record<string, JsonObject>>;
    };
    const { config = {} } = values.$defs;
    expect(validate({ ...config, $defs: values.$defs }, sampleOf(config, values.$defs)).findings).deep.equal(
      [],
    );
  });
});
