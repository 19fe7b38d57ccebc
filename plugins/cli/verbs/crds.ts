import { readFileSync, readdirSync } from 'node:fs';
import { packageFile } from 'pegboard';
import type { Command } from 'pegboard';
import { parse } from 'yaml';

export const crds: Command = {
  name: 'crds',
  summary: 'print the custom resource definitions for Kubernetes',
  options: [
    {
      flags: '-o, --output <format>',
      description: 'form of the output',
      choices: ['yaml', 'json'],
      default: 'yaml',
    },
  ],
  examples: ['pegboard crds | kubectl apply -f -', 'pegboard crds -o json'],
  run: ({ options, terminal }) => {
    const folder = packageFile('schemas/crd/');
    const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
    const texts = files.sort().map((name) => readFileSync(new URL(name, folder), 'utf8'));
    terminal.out(options['output'] === 'json' ? listOf(texts) : texts.join('---\n'));
    return Promise.resolve(0);
  },
};

/** One object for all of them, as kubectl takes it. */
function listOf(texts: readonly string[]): string {
  const items = texts.map((text): unknown => parse(text));
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`;
}
