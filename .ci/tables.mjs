// Writes what is generated anew: parts of documents (the index of decisions, the hostile cases from test/hostile, the keys from schemas, the
// picture of the plugins from their manifests), schemas/crd, schemas/editor, and in examples/helm what the chart has from elsewhere.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const GENERATED = [
  {
    readme: 'plugins/upstream/README.md',
    source: 'test/servers/cells.js',
    begin: '| server ',
    end: '\n## Keys ',
  },
  {
    readme: 'kernel/DECISIONS.md',
    source: 'test/kernel/decisions.js',
    begin: '| decision ',
    end: '\n## Entries',
  },
  { readme: 'test/README.md', source: 'test/hostile/table.js', begin: '- **case 1** ' },
  {
    readme: 'plugins/REFERENCE.md',
    source: 'test/plugins/picture.js',
    begin: '```mermaid\n',
    end: '\n## The built-in plugins\n',
  },
  { readme: 'schemas/README.md', source: 'test/schemas/table.js', begin: '### config.yaml\n' },
];

for (const { readme, source, begin, end } of GENERATED) {
  const { markdown } = await import(new URL(`../build/${source}`, import.meta.url));
  const file = new URL(`../${readme}`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  const at = text.indexOf(begin);
  if (at < 0) throw new Error(`${readme} has no line that begins with ${begin.trim()}`);
  const rest = end === undefined ? '' : text.slice(text.indexOf(end, at));
  writeFileSync(file, `${text.slice(0, at)}${(await markdown()).trim()}\n${rest}`);
}

const { customResources } = await import(
  new URL('../build/test/schemas/customResources.js', import.meta.url)
);
for (const { name, text } of customResources())
  writeFileSync(new URL(`../schemas/crd/${name}`, import.meta.url), text);

const { editorFiles } = await import(new URL('../build/test/schemas/editorSchemas.js', import.meta.url));
mkdirSync(new URL('../schemas/editor/', import.meta.url), { recursive: true });
for (const { name, text } of editorFiles())
  writeFileSync(new URL(`../schemas/editor/${name}`, import.meta.url), text);

const CHART = new URL('../examples/helm/', import.meta.url);
const { chartValues } = await import(new URL('../build/test/schemas/chartValues.js', import.meta.url));
const values = new URL('values.schema.json', CHART);
writeFileSync(values, `${JSON.stringify(chartValues(JSON.parse(readFileSync(values, 'utf8'))), null, 2)}\n`);
const { COPIES } = await import(new URL('../build/test/examples/helm/copies.js', import.meta.url));
for (const [copy, source] of Object.entries(COPIES))
  copyFileSync(new URL(`../${source}`, import.meta.url), new URL(copy, CHART));

const { apiReport } = await import(new URL('../build/test/api/report.js', import.meta.url));
writeFileSync(new URL('../test/api/report.txt', import.meta.url), apiReport());
