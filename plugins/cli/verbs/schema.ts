import { readFileSync } from 'node:fs';
import { didYouMean } from 'pegboard';
import type { Command } from 'pegboard';
import { EDITOR_SCHEMAS, editorSchema } from '../../kit/definitions/schemaLine.ts';

export const schema: Command = {
  name: 'schema',
  summary: 'print the JSON Schema by which editors complete and check a file',
  parameters: [{ name: '<kind>', description: EDITOR_SCHEMAS.join(', ') }],
  examples: ['pegboard schema config > config.schema.json', 'pegboard schema mcpserver'],
  run: ({ args: [word = ''], terminal }) => {
    const typed = word.toLowerCase();
    const name = EDITOR_SCHEMAS.find((one) => [one, `${one}s`].includes(typed)) ?? OTHER_NAMES[typed];
    if (name === undefined) {
      const fix = didYouMean(typed, EDITOR_SCHEMAS, `use ${EDITOR_SCHEMAS.join(', ')}`);
      terminal.err(`pegboard: there is no schema of ${JSON.stringify(word)}; ${fix}\n`);
      return Promise.resolve(1);
    }
    const text = JSON.stringify(JSON.parse(readFileSync(editorSchema(name), 'utf8')), null, 2);
    terminal.out(`${text}\n`);
    return Promise.resolve(0);
  },
};

/** As other verbs call the kinds. */
const OTHER_NAMES: Readonly<Record<string, string | undefined>> = {
  'config.yaml': 'config',
  server: 'mcpserver',
  servers: 'mcpserver',
  preset: 'toolsetpreset',
  presets: 'toolsetpreset',
};
