import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import { ANYONE } from '../../../kernel/index.ts';
import { attributesOf, spanKindOf, spanNameOf } from '../../../plugins/tracing/spans/conventions.ts';
import { KnownValues } from '../../../plugins/tracing/spans/knownValues.ts';
import type { Work } from '../../../plugins/contracts/tracing.ts';
import { codeIn, tableBelow } from '../../schemas/markdown.ts';
import { ROOT, sourcesBelow, textOf } from '../../support/sources.ts';

const README = readFileSync(join(ROOT, 'plugins/tracing/README.md'), 'utf8');
const REQUEST = {
  type: 'request',
  id: 1,
  revision: '2025-11-25',
  request: { ...ANYONE, sessionId: 's' },
} as const;
const AT_SERVER = { type: 'server', server: 'a', revision: '2025-11-25', content: undefined } as const;
const RUN = { workflow: 'w', tool: 't' } as const;
/** Work of every kind, with everything that it may have. */
const ALL: readonly Work[] = [
  ...['tools/call', 'prompts/get'].flatMap((method): Work[] => [
    { ...REQUEST, method, params: { name: 'n' } },
    { ...AT_SERVER, method, target: 'n', url: 'https://example.com/mcp' },
  ]),
  { ...REQUEST, method: 'resources/read', params: { uri: 'a://b' } },
  { ...AT_SERVER, method: 'resources/read', target: 'a://b', url: undefined },
  { type: 'dispatch', tool: 'call_tool' },
  { type: 'run', workflow: 'w', execution: 'e' },
  { type: 'step', step: 's', iteration: 0, ...RUN },
];
/** Set when a span has ended, or with `content` only. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  'jsonrpc.request.id': ['CLIENT'],
  'rpc.response.status_code': ['SERVER', 'CLIENT'],
  'error.type': ['SERVER', 'INTERNAL', 'CLIENT'],
  'pegboard.workflow.status': ['INTERNAL'],
  'gen_ai.tool.call.arguments': ['CLIENT'],
  'gen_ai.tool.call.result': ['CLIENT'],
};

describe('plugins/tracing/README.md', () => {
  it('has a row for every attribute, with the kinds of spans that have it', () => {
    const kinds = new Map<string, Set<string>>(
      Object.entries(LATER).map(([name, all]) => [name, new Set(all)]),
    );
    const add = (attributes: Attributes, kind: string): void => {
      for (const name of Object.keys(attributes)) kinds.set(name, (kinds.get(name) ?? new Set()).add(kind));
    };
    const known = new KnownValues();
    for (const work of ALL) add(attributesOf(work, known), SpanKind[spanKindOf(work)]);
    const rows = tableBelow(README, 'Spans', 1).map(([name = '', spans = '']) => [
      codeIn(name)[0],
      spans.split(', ').sort(),
    ]);
    const expected = [...kinds].map(([name, all]) => [name, [...all].sort()]);
    expect(rows.sort()).deep.equal(expected.sort());
  });

  it('has no other attributes than the code', () => {
    const code = sourcesBelow('plugins/tracing').map(textOf).join('');
    for (const name of Object.keys(LATER)) expect(code).include(`'${name}'`);
  });

  it('has a row for the name of every span', () => {
    const names = new Set(ALL.map((work) => `${spanNameOf(work)} ${SpanKind[spanKindOf(work)]}`));
    const patterns = tableBelow(README, 'Spans').map(([name = '', kind = '']) => {
      const text = (codeIn(name)[0] ?? '').replaceAll(/ ?\{[^}]*\}/g, '.*');
      return new RegExp(`^${text} ${kind}$`);
    });
    for (const name of names)
      expect(
        patterns.some((pattern) => pattern.test(name)),
        name,
      ).equal(true);
    for (const pattern of patterns)
      expect(
        [...names].some((name) => pattern.test(name)),
        String(pattern),
      ).equal(true);
  });

  it('has every variable that the code reads', () => {
    const code = sourcesBelow('plugins/tracing').map(textOf).join('');
    const read = code.match(/OTEL_[A-Z_]+[A-Z]/g) ?? [];
    const missing = [...new Set(read)].filter((name) => !README.includes(name));
    expect(missing).deep.equal([]);
  });
});
