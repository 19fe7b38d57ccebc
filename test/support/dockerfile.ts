import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

export interface Instruction {
  /** `RUN`, `COPY`, … */
  readonly name: string;
  /** What follows it, lines joined. */
  readonly text: string;
}
export interface Stage {
  readonly name: string;
  /** An image, or the name of an earlier stage. */
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of the Dockerfile, in their order. Knows no more of its syntax than ours has.
 *  Source: https://docs.docker.com/reference/dockerfile/ */
export function stagesOfDockerfile(): readonly Stage[] {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', '');
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const [, name = '', rest = ''] of text.matchAll(/^([A-Z]+) +(.*)$/gm)) {
    const from = /^(\S+) AS (\S+)$/.exec(rest);
    if (name === 'FROM' && from !== null)
      stages.push({ from: from[1] ?? '', name: from[2] ?? '', instructions: [] });
    else stages.at(-1)?.instructions.push({ name, text: rest.trim() });
  }
  return stages;
}
