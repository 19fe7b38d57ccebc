import {
  PromptSchema,
  ResourceSchema,
  ResourceTemplateSchema,
  ToolSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { shapedEntry } from '../../../../plugins/upstream/offer/shapedEntry.ts';
import { pathsIn, withPart } from '../parts.ts';

const icons = [{ src: 's', mimeType: 'image/png', sizes: ['1x1'], theme: 'dark' }];
const base = { name: 'n', title: 't', description: 'd', icons, _meta: { a: 1 } };
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2025-01-12T15:00:58Z' };
/** An entry with all members of its kind. */
const WHOLE = {
  tools: {
    ...base,
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
    annotations: { title: 't', readOnlyHint: true, openWorldHint: false },
    execution: { taskSupport: 'optional' },
  },
  resources: { ...base, uri: 'a:b', mimeType: 'a/b', size: 1, annotations },
  resourceTemplates: { ...base, uriTemplate: 'a:{b}', mimeType: 'a/b', annotations },
  prompts: { ...base, arguments: [{ name: 'a', description: 'd', required: true }] },
};
const SCHEMAS = {
  tools: ToolSchema,
  resources: ResourceSchema,
  resourceTemplates: ResourceTemplateSchema,
  prompts: PromptSchema,
};
type List = keyof typeof WHOLE;
const KEPT = {
  tools: ['name', 'inputSchema', 'outputSchema'],
  resources: [],
  resourceTemplates: [],
  prompts: [],
};

describe('upstream: shapedEntry', () => {
  for (const list of Object.keys(WHOLE) as List[]) {
    it(`returns a sound entry of ${list} itself`, () => {
      const { entry, odd } = shapedEntry(list, WHOLE[list]);
      expect(entry).equal(WHOLE[list]);
      expect(odd).equal('');
    });

    it(`leaves nothing in an entry of ${list} that the SDK refuses, whatever replaces its parts`, () => {
      // The schemas of a tool reach clients as text.
      const paths = pathsIn(WHOLE[list]).filter(([first = '']) => !KEPT[list].includes(first as never));
      const change = fc.tuple(fc.constantFrom(...paths), fc.jsonValue());
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
          const given = changes.reduce<unknown>((whole, [path, to]) => {
            try {
              return withPart(whole, path, to);
            } catch {
              // An earlier change took what this one would change.
              return whole;
            }
          }, WHOLE[list]);
          const { entry, odd } = shapedEntry(list, given);
          if (entry === undefined) expect(odd).not.equal('');
          else expect(SCHEMAS[list].safeParse(entry).error, JSON.stringify(entry)).equal(undefined);
          if (SCHEMAS[list].safeParse(given).success) expect(entry).equal(given);
        }),
        { numRuns: 1_000 },
      );
    });
  }

  it('does not look at more than a hundred icons or a thousand arguments', () => {
    const many = { name: 'n', icons: Array.from({ length: 101 }, () => ({ src: 's' })) };
    expect(shapedEntry('prompts', many)).deep.equal({ entry: { name: 'n' }, odd: 'icons has a wrong form' });
    const asking = { name: 'n', arguments: Array.from({ length: 1_001 }, () => null) };
    expect(shapedEntry('prompts', asking).entry).deep.equal({ name: 'n' });
  });
});
