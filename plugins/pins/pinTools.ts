import { CHANGING, coreTool, jsonResult } from 'pegboard';
import type { Tool } from 'pegboard';
import type { Matters } from './matters.ts';
import type { Suspects } from './suspects.ts';

/** The most findings in one answer. */
const MAX_SHOWN = 500;
const HASH = '^[0-9a-f]{64}$';

interface ListArguments {
  readonly name?: string;
}
interface AcceptArguments {
  readonly name: string;
  readonly hash: string;
  readonly refuse: boolean;
}

/** The tools by which operators look at what servers declare otherwise than accepted, and accept it. */
export function pinTools(matters: Matters, suspects: Suspects): readonly Tool[] {
  const list = coreTool<ListArguments>({
    name: 'core_pins_list',
    authority: 'operate',
    description: 'List changed declarations',
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: {
          description: 'Only that name, or all of that server, with its changes.',
          type: 'string',
        },
      },
    },
    run: async ({ name }) => {
      const found = suspects.list();
      const sets = matters.sets().map(({ server, count, hash }) => ({ server, count, hash }));
      if (name === undefined) {
        const findings = found.slice(0, MAX_SHOWN);
        return jsonResult({ pins: matters.list(), sets, findings, totalFindings: found.length });
      }
      return jsonResult({
        pins: await matters.changed(name),
        sets: sets.filter(({ server }) => server === name),
        findings: found.filter((one) => one.name === name || one.server === name),
      });
    },
  });
  const accept = coreTool<AcceptArguments>({
    name: 'core_pins_accept',
    authority: 'define',
    confirmed: {
      show: ({ name, hash }) => matters.shownChanges(String(name), String(hash)),
      otherWays: 'a person accepts it with pegboard pins accept, or on the page Pins of the admin pages',
    },
    description: 'Accept or refuse',
    hints: CHANGING,
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'hash'],
      properties: {
        name: { description: 'A name, or the server of a set, of core_pins_list.', type: 'string' },
        hash: {
          description: 'Its hash there: what has changed since is not accepted.',
          type: 'string',
          pattern: HASH,
        },
        refuse: { description: 'Whether it is refused: it is then out.', type: 'boolean', default: false },
      },
    },
    run: async ({ name, hash, refuse }) => {
      const { server, count } = await matters.settle(name, hash, !refuse);
      return jsonResult({ name, server, hash, count, accepted: !refuse });
    },
  });
  return [list, accept];
}
