import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { isObject, readSchema } from '../../kernel/index.ts';
import type { JsonObject, Plugin, Settings } from '../../kernel/index.ts';
import { validate } from '../../kernel/config/validate.ts';
import { builtInNames, loadBuiltIn } from '../../kernel/loader.ts';
import { ROOT } from '../support/sources.ts';
import { YamlServer } from '../support/yamlServer.ts';
import { editorFiles } from './editorSchemas.ts';
import { SLIPS } from './slips.ts';

type Path = readonly string[];
const FOLDER = join(ROOT, 'schemas/editor');
const KIND_BY_FOLDER: Readonly<Record<string, string>> = {
  mcpservers: 'mcpserver',
  workflows: 'workflow',
  toolsetpresets: 'toolsetpreset',
  accesses: 'access',
};

/** A new one, as readers of files have it: validators write defaults into what they check. */
function schemaOf(name: string): JsonObject {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.schema.json`), 'utf8')) as JsonObject;
}

function resolved(schema: unknown, root: JsonObject): JsonObject {
  if (!isObject(schema)) return {};
  const [, name] = /^#\/\$defs\/(.+)$/.exec(String(schema['$ref'])) ?? [];
  return name === undefined ? schema : { ...(root['$defs'] as Record<string, JsonObject>)[name], ...schema };
}

/** Each key below a schema; `*` for a key of one's choice, `[]` for an entry of a list. */
function keysOf(schema: unknown, root: JsonObject, path: Path = []): readonly Path[] {
  const own = resolved(schema, root);
  const named = Object.entries((own['properties'] ?? {}) as JsonObject).flatMap(([key, one]) => [
    [...path, key],
    ...keysOf(one, root, [...path, key]),
  ]);
  return [
    ...named,
    ...keysBelow(own['items'], root, [...path, '[]']),
    ...keysBelow(own['additionalProperties'], root, [...path, '*']),
  ];
}
function keysBelow(schema: unknown, root: JsonObject, path: Path): readonly Path[] {
  return isObject(schema) ? keysOf(schema, root, path) : [];
}

/** Where in config.yaml the plugin reads a key of its own; undefined if it takes it from another key. */
function placeOf(plugin: Plugin, key: string): Path | undefined {
  const mark = { marked: key };
  const below = ['plugins', plugin.name, 'config'];
  if (plugin.select === undefined) return below;
  const empty = { aggregator: {}, plugins: {}, required: [], access: [], toolsetPresets: {} };
  const read = (settings: unknown): unknown => {
    const value = plugin.select?.(settings as Settings);
    return JSON.stringify(isObject(value) ? value[key] : undefined);
  };
  const plain = read(empty);
  if (read({ ...empty, plugins: { [plugin.name]: { config: { [key]: mark } } } }) !== plain) return below;
  const isRoot = key in (readSchema('config')['properties'] as JsonObject);
  const server = { ...mark, trustedIssuers: mark };
  const marked = key === 'aggregator' ? { admin: mark, oauth: { server, mcpClient: mark } } : mark;
  return isRoot && read({ ...empty, [key]: marked }) !== plain ? [] : undefined;
}

describe('Schemas for editors', function () {
  this.timeout(30_000);

  it('are those that the schemas of the plugins and kinds make', () => {
    const files = readdirSync(FOLDER).sort();
    expect(files).deep.equal(
      editorFiles()
        .map(({ name }) => name)
        .sort(),
    );
    for (const { name, text } of editorFiles())
      expect(readFileSync(join(FOLDER, name), 'utf8'), `${name}: npm run tables`).equal(text);
  });

  it('have each key of each plugin where the plugin reads it, and no other', async () => {
    const schema = schemaOf('config');
    const known = new Set(keysOf(schema, schema).map((path) => path.join('.')));
    const wanted = new Set(keysOf(readSchema('config'), readSchema('config')).map((path) => path.join('.')));
    for (const name of await builtInNames()) {
      const plugin = await loadBuiltIn(name);
      wanted.add(`plugins.${name}`).add(`plugins.${name}.config`);
      for (const [first = '', ...rest] of keysOf(plugin.configSchema, plugin.configSchema)) {
        const place = placeOf(plugin, first);
        if (place !== undefined) wanted.add([...place, first, ...rest].join('.'));
      }
    }
    expect([...wanted].filter((key) => !known.has(key))).deep.equal([]);
    expect([...known].filter((key) => !wanted.has(key))).deep.equal([]);
  });

  it('declare what each key means, and refer to no other place for it', () => {
    for (const { text } of editorFiles()) expect(text).not.match(/"(Taken from|Read by|From) /);
  });

  it('give each key a title and what it means; a text also a default, its values, or an example', () => {
    const counted = { keys: 0, defaults: 0, examples: 0 };
    const bare = new Set<string>();
    const below = (value: unknown): void => {
      if (Array.isArray(value)) for (const one of value) below(one);
      if (!isObject(value)) return;
      for (const [key, one] of Object.entries(isObject(value['properties']) ? value['properties'] : {})) {
        if (!isObject(one)) continue;
        counted.keys += 1;
        expect(one['title'], key).a('string').and.not.equal('');
        expect(one['description'], key).a('string').and.not.equal('');
        if ('default' in one) counted.defaults += 1;
        if ('examples' in one) counted.examples += 1;
        const isHelped = ['default', 'examples', 'enum', 'const', 'pattern', 'deprecated'].some(
          (word) => word in one,
        );
        if (one['type'] === 'string' && !isHelped) bare.add(key);
      }
      for (const one of Object.values(value)) below(one);
    };
    for (const { name } of editorFiles()) below(schemaOf(name.replace('.schema.json', '')));
    expect(counted.keys).above(900);
    expect(counted.defaults).above(390);
    expect(counted.examples).above(140);
    // What these hold differs from place to place, or is a person's own words.
    expect([...bare].sort()).deep.equal(
      'apiVersion ca cert description fromStep host key messageUrl path restartRequestedAt template'.split(
        ' ',
      ),
    );
  });

  it('take a name below plugins that is not one of Pegboard only with its module', () => {
    const faults = (text: string): readonly unknown[] => validate(schemaOf('config'), parse(text)).findings;
    const good = 'plugins: { acme: { module: ./acme.mjs, config: { a: 1 } }, live-reload: false }';
    expect(faults(good)).deep.equal([]);
    expect(faults('plugins: { acme: true }')).not.deep.equal([]);
  });

  it('have the name to write in place of a former one, which nothing suggests', () => {
    const text = JSON.stringify(schemaOf('workflow'));
    const former = [...text.matchAll(/"description":"The same as (\w+)/g)].map(([, name]) => name);
    const named = [...text.matchAll(/"deprecated":true,"deprecationMessage":"Write (\w+)/g)].map(
      ([, name]) => name,
    );
    expect(former.length).greaterThan(10);
    expect(named.sort()).deep.equal(former.sort());
  });

  it('accept no slip', () => {
    expect(SLIPS.length).at.least(60);
    // Each is compiled once: what a validator writes is in what it checks.
    const schemas = new Map(SLIPS.map(({ file }) => [file, schemaOf(file)]));
    for (const { file, text } of SLIPS)
      expect(validate(schemas.get(file) ?? {}, parse(text)).findings, text).not.deep.equal([]);
  });

  it('accept every example, of files and of keys', () => {
    const seen = { files: 0, keys: 0 };
    const check = (name: string, path: string): void => {
      seen.files += 1;
      expect(validate(schemaOf(name), parse(readFileSync(path, 'utf8'))).findings, path).deep.equal([]);
    };
    const examples = join(ROOT, 'examples');
    for (const example of readdirSync(examples)) {
      const settings = join(examples, example, 'config.yaml');
      if (existsSync(settings)) check('config', settings);
      for (const [folder, name] of Object.entries(KIND_BY_FOLDER)) {
        const path = join(examples, example, folder);
        for (const file of existsSync(path) ? readdirSync(path) : []) check(name, join(path, file));
      }
    }
    const below = (value: unknown, root: JsonObject): void => {
      if (Array.isArray(value)) for (const one of value) below(one, root);
      if (!isObject(value)) return;
      for (const example of Array.isArray(value['examples']) ? (value['examples'] as unknown[]) : []) {
        seen.keys += 1;
        const own = { ...value, $defs: root['$defs'] };
        expect(validate(own, structuredClone(example)).findings, JSON.stringify(example)).deep.equal([]);
      }
      for (const one of Object.values(value)) below(one, root);
    };
    for (const { name } of editorFiles()) {
      const root = schemaOf(name.replace('.schema.json', ''));
      below(root, root);
    }
    expect(seen.files).greaterThan(15);
    expect(seen.keys).greaterThan(15);
  });

  describe('in the YAML language server', () => {
    let editor: YamlServer;
    const withLine = (name: string, text: string): string =>
      `# yaml-language-server: $schema=${pathToFileURL(join(FOLDER, `${name}.schema.json`)).href}\n${text}\n`;

    before(async () => {
      editor = await YamlServer.start();
    });
    after(() => editor.end());

    it('mark each slip, below the line that names the schema', async () => {
      const opened = SLIPS.map(async ({ file, text }, at) => ({
        text,
        found: await editor.open(`file:///slips/${at}.yaml`, withLine(file, text)),
      }));
      for (const { text, found } of await Promise.all(opened)) {
        // A key that is misspelt and one that is then missing are both named.
        const [{ range } = { range: { start: { line: 0 } } }] = found;
        expect(found, text).to.have.length.within(1, 2);
        expect(range.start.line, text).at.least(1);
      }
    });

    it('mark a former name with the one to write, and nothing in a good file', async () => {
      const steps = 'steps:\n  - id: a\n    tool: x_a_b\n    allow_failure: true';
      const found = await editor.open('file:///former.yaml', withLine('workflow', steps));
      expect(found.map(({ message }) => message)).deep.equal([
        'Write allowFailure in place of allow_failure.',
      ]);
      const good = readFileSync(join(ROOT, 'examples/oauth/config.yaml'), 'utf8');
      expect(await editor.open('file:///good.yaml', withLine('config', good))).deep.equal([]);
      const wrapped = readFileSync(join(ROOT, 'examples/workflows/workflows/read-all.yaml'), 'utf8');
      expect(await editor.open('file:///wrapped.yaml', withLine('workflow', wrapped))).deep.equal([]);
    });

    it('complete and explain keys of plugins and of both forms', async () => {
      const config = 'file:///config.yaml';
      const text =
        'aggregator:\n  oauth:\n    server:\n      enabled: true\n      \nplugins:\n  deny:\n    config:\n      ';
      await editor.open(config, withLine('config', text));
      expect(await editor.complete(config, 5, 6)).includes.members(['baseUrl', 'idp', 'trustedIssuers']);
      expect(await editor.complete(config, 9, 6)).includes.members(['tools', 'destructive']);
      expect(await editor.hover(config, 4, 8)).contains('Whether clients must sign in.');

      const fields = 'file:///fields.yaml';
      await editor.open(fields, withLine('mcpserver', 'type: stdio\n'));
      const offered = await editor.complete(fields, 2, 0);
      expect(offered).includes.members(['command', 'autoStart']);
      expect(offered).not.contains('restartRequestedAt');

      const resource = 'file:///resource.yaml';
      const wrapped =
        'apiVersion: pegboard.dev/v1alpha1\nkind: Workflow\nspec:\n  steps:\n    - id: a\n      ';
      await editor.open(resource, withLine('workflow', wrapped));
      const keys = await editor.complete(resource, 6, 6);
      expect(keys).includes.members(['tool', 'allowFailure']);
      expect(keys).not.contains('allow_failure');
    });
  });
});
