// Writes the generated halves of READMEs anew: the hostile cases from test/hostile, the keys from schemas.
import { readFileSync, writeFileSync } from 'node:fs';

const GENERATED = [
  { readme: 'test/README.md', source: 'test/hostile/table.js', begin: '- **case 1** ' },
  { readme: 'schemas/README.md', source: 'test/schemas/table.js', begin: '### config.yaml\n' },
];

for (const { readme, source, begin } of GENERATED) {
  const { markdown } = await import(new URL(`../build/${source}`, import.meta.url));
  const file = new URL(`../${readme}`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  const at = text.indexOf(begin);
  if (at < 0) throw new Error(`${readme} has no line that begins with ${begin.trim()}`);
  writeFileSync(file, `${text.slice(0, at)}${markdown().trim()}\n`);
}
