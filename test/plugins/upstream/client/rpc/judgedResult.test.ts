import {
  CallToolResultSchema,
  CompleteResultSchema,
  GetPromptResultSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Era } from '../../../../../plugins/upstream/client/options.ts';
import { judgedResult } from '../../../../../plugins/upstream/client/rpc/judgedResult.ts';
import { pathsIn, withPart } from '../../parts.ts';

const SCHEMAS = {
  'tools/call': CallToolResultSchema,
  'prompts/get': GetPromptResultSchema,
  'resources/read': ReadResourceResultSchema,
  'completion/complete': CompleteResultSchema,
};
type Method = keyof typeof SCHEMAS;

/** @param result the JSON text, or its value */
function judged(method: string, result: unknown, era: Era = 'legacy') {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const found = judgedResult({ method, era }, { result: text, value: JSON.parse(text) as unknown });
  return typeof found === 'object' ? found.text : found;
}

const TEXT = { type: 'text', text: 'a' };
const IMAGE = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const content = (...items: readonly unknown[]) => ({ content: items });
const message = (one: unknown) => ({ messages: [{ role: 'user', content: one }] });
const contents = (...items: readonly unknown[]) => ({ contents: items });
const completed = (more: object) => ({ completion: { values: ['a'], ...more } });

/** What servers answer, and what it can only mean. */
const MENDED: Readonly<Record<string, readonly [Method, object, object]>> = {
  'content is null': ['tools/call', { content: null }, content()],
  'content is a text': ['tools/call', { content: 'a' }, content(TEXT)],
  'content is an item': ['tools/call', { content: TEXT }, content(TEXT)],
  'an item is a text': ['tools/call', content('a', TEXT), content(TEXT, TEXT)],
  'an item is null': ['tools/call', content(null, TEXT), content(TEXT)],
  'an item with text has no type': ['tools/call', content({ text: 'a' }), content(TEXT)],
  'a text is a number': [
    'tools/call',
    content({ type: 'text', text: 4.5 }),
    content({ ...TEXT, text: '4.5' }),
  ],
  'an item is JSON': [
    'tools/call',
    content({ type: 'json', json: { b: [1] } }),
    content({ ...TEXT, text: '{"b":[1]}' }),
  ],
  'data is a data url': [
    'tools/call',
    content({ ...IMAGE, data: 'data:image/gif;base64,AAAA' }),
    content(IMAGE),
  ],
  'data is a data url that has the mimeType alone': [
    'tools/call',
    content({ type: 'image', data: 'data:image/gif;base64,AAAA' }),
    content({ ...IMAGE, mimeType: 'image/gif' }),
  ],
  'a server says what helps against a fault here': [
    'tools/call',
    { ...content(TEXT), _meta: { a: 1, 'pegboard.dev/remedy': { cause: 'c', action: { do: 'start' } } } },
    { ...content(TEXT), _meta: { a: 1 } },
  ],
  'data is base64url': ['tools/call', content({ ...IMAGE, data: '-_8' }), content({ ...IMAGE, data: '+/8' })],
  'data of 100 kB is base64url': [
    'tools/call',
    content({ ...IMAGE, data: '-_-_'.repeat(25_000) }),
    content({ ...IMAGE, data: '+/+/'.repeat(25_000) }),
  ],
  'a priority is 7': [
    'tools/call',
    content({ ...TEXT, annotations: { priority: 7 } }),
    content({ ...TEXT, annotations: {} }),
  ],
  'annotations are null': ['tools/call', content({ ...TEXT, annotations: null, _meta: null }), content(TEXT)],
  '_meta is null': ['tools/call', { ...content(TEXT), _meta: null }, content(TEXT)],
  'structuredContent is null': ['tools/call', { ...content(TEXT), structuredContent: null }, content(TEXT)],
  'isError is null': ['tools/call', { ...content(TEXT), isError: null }, content(TEXT)],
  'isError is "true"': [
    'tools/call',
    { ...content(TEXT), isError: 'true' },
    { ...content(TEXT), isError: true },
  ],
  'isError is "false"': [
    'tools/call',
    { ...content(TEXT), isError: 'false' },
    { ...content(TEXT), isError: false },
  ],
  'a link has icons of a wrong form': [
    'tools/call',
    content({ type: 'resource_link', uri: 'a:b', name: 'n', icons: 'i', size: '1' }),
    content({ type: 'resource_link', uri: 'a:b', name: 'n' }),
  ],
  'the mimeType of an embedded resource is null': [
    'tools/call',
    content({ type: 'resource', resource: { uri: 'a:b', text: 't', mimeType: null, blob: null } }),
    content({ type: 'resource', resource: { uri: 'a:b', text: 't' } }),
  ],
  'contents are null': ['resources/read', { contents: null }, contents()],
  'contents are one object': [
    'resources/read',
    { contents: { uri: 'a:b', text: 't' } },
    contents({ uri: 'a:b', text: 't' }),
  ],
  'a blob is a data url': [
    'resources/read',
    contents({ uri: 'a:b', blob: 'data:a/b;charset=x;base64,AAAA', mimeType: 5 }),
    contents({ uri: 'a:b', blob: 'AAAA' }),
  ],
  'messages are null': ['prompts/get', { description: null, messages: null }, { messages: [] }],
  'the content of a message is a text': ['prompts/get', message('a'), message(TEXT)],
  'the content of a message is a list of one': ['prompts/get', message([TEXT]), message(TEXT)],
  'values are null': ['completion/complete', completed({ values: null }), completed({ values: [] })],
  'a value is a number': [
    'completion/complete',
    completed({ values: [1, null, 'b'] }),
    completed({ values: ['1', 'b'] }),
  ],
  'a total is a text': ['completion/complete', completed({ total: '1', hasMore: 'no' }), completed({})],
  'there are 101 values': [
    'completion/complete',
    completed({ values: Array.from({ length: 101 }, () => 'a') }),
    completed({ values: Array.from({ length: 100 }, () => 'a') }),
  ],
};

/** What servers answer, and where that has no single meaning. */
const REFUSED: readonly (readonly [Method, object, string])[] = [
  ['tools/call', { content: 5 }, 'content must be an array, not 5'],
  ['tools/call', { content: { a: 1 } }, 'content must be an array, not an object'],
  ['tools/call', content(TEXT, TEXT, { type: 'text' }), 'content[2].text is missing'],
  ['tools/call', content({ ...TEXT, text: null }), 'content[0].text is missing'],
  ['tools/call', content({ ...TEXT, text: {} }), 'content[0].text must be a string, not an object'],
  ['tools/call', content(TEXT, 5), 'content[1] must be an object, not 5'],
  ['tools/call', content({ data: 'AAAA' }), 'content[0].type is missing'],
  ['tools/call', content({ type: 'image', data: 'AAAA' }), 'content[0].mimeType is missing'],
  ['tools/call', content({ type: 'audio', mimeType: 'audio/wav' }), 'content[0].data is missing'],
  ['tools/call', content({ ...IMAGE, data: 'no base64!' }), 'content[0].data is not base64'],
  ['tools/call', content({ ...IMAGE, data: 'AAAAA' }), 'content[0].data is not base64'],
  ['tools/call', content({ ...IMAGE, data: `b'${'AAAA'.repeat(25_000)}` }), 'content[0].data is not base64'],
  [
    'tools/call',
    content({ type: 'resource_link', uri: 'a:b', name: 5 }),
    'content[0].name must be a string, not 5',
  ],
  [
    'tools/call',
    content({ type: 'resource', resource: { uri: 'a:b' } }),
    'content[0].resource.text is missing',
  ],
  ['tools/call', { ...content(TEXT), isError: 'yes' }, 'isError must be a boolean, not "yes"'],
  ['resources/read', {}, 'contents is missing'],
  ['resources/read', contents({ text: 't' }), 'contents[0].uri is missing'],
  [
    'prompts/get',
    { messages: [{ role: 'system', content: TEXT }] },
    'messages[0].role must be one of the enum values "user", "assistant", not "system"',
  ],
  ['prompts/get', message([TEXT, TEXT]), 'messages[0].content must be an object, not a list'],
  ['completion/complete', {}, 'completion is missing'],
];

const ITEMS = [
  { ...TEXT, annotations: { audience: ['user'], priority: 1 }, _meta: {} },
  IMAGE,
  { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'a:b', text: 't', mimeType: 'a/b', _meta: {} } },
  { type: 'resource_link', uri: 'a:b', name: 'n', size: 1 },
];
/** Results with all that they can have. */
const WHOLE: Readonly<Record<Method, object>> = {
  'tools/call': { content: ITEMS, structuredContent: { a: 1 }, isError: false, _meta: { progressToken: 1 } },
  'prompts/get': { messages: ITEMS.map((item) => ({ role: 'user', content: item })), description: 'd' },
  'resources/read': contents({ uri: 'a:b', text: 't', mimeType: 'a/b' }, { uri: 'a:b', blob: 'AAAA' }),
  'completion/complete': completed({ total: 1, hasMore: true }),
};
/** Passed on although the SDK of 2025-11-25 refuses it. */
function isFree(path: readonly string[], to: unknown): boolean {
  return (path.at(-1) === 'type' && typeof to === 'string') || path[0] === 'structuredContent';
}

describe('upstream: judgedResult', () => {
  for (const [kind, [method, given, meant]] of Object.entries(MENDED))
    it(`mends a result of ${method} if ${kind}`, () => {
      const mended = JSON.parse(judged(method, given) ?? '') as unknown;
      expect(mended).deep.equal(meant);
      expect(SCHEMAS[method].safeParse(given).success && kind, 'clients of the SDK take it anyway').not.equal(
        true,
      );
      SCHEMAS[method].parse(mended);
    });

  for (const [method, given, place] of REFUSED)
    it(`names the place in ${method}: ${place}`, () => expect(judged(method, given)).equal(place));

  it('returns well-formed results and those of types that it does not know as they came', () => {
    for (const text of [
      '{ "content" : [ {"type":"text","text":"a"} ], "n":9007199254740993 }',
      '{"n":9007199254740993,"content":[{"type":"hologram","x":1.0,"data":"?"}],"structuredContent":[1]}',
      '{"structuredContent":{"content":null,"_meta":null}}',
      '{"content":[{"type":"image","mimeType":"a/b","data":"AA\\nAA"}]}',
      '{"resultType":"input_required","content":null}',
    ])
      expect(judged('tools/call', text)).equal(text);
    expect(judged('ping', '{"content":null}')).equal('{"content":null}');
  });

  for (const method of Object.keys(WHOLE) as Method[])
    it(`lets no result of ${method} through that the SDK refuses, whatever replaces its parts`, () => {
      const change = fc.tuple(fc.constantFrom(...pathsIn(WHOLE[method])), fc.jsonValue());
      const given = change.filter(([path, to]) => !isFree(path, to));
      fc.assert(
        fc.property(given, ([path, to]) => {
          const result = JSON.stringify(withPart(WHOLE[method], path, to));
          const isSound = SCHEMAS[method].safeParse(JSON.parse(result)).success;
          const text = judged(method, result) ?? '';
          if (isSound) expect(text).equal(result);
          else if (text.startsWith('{')) SCHEMAS[method].parse(JSON.parse(text));
        }),
        { numRuns: 1_000 },
      );
    });

  it('keeps all digits of the numbers beside what it mends', () => {
    const structured = '{"id":9007199254740993,"x":1e400}';
    const result = `{"content":null,"structuredContent":${structured},"__proto__":{"n":1.0}}`;
    expect(judged('tools/call', result)).equal(
      `{"content":[],"structuredContent":${structured},"__proto__":{"n":1.0}}`,
    );
    const long = '{"content":[{"type":"text","text":9007199254740993}]}';
    expect(judged('tools/call', long)).equal('content[0].text must be a string, not 9007199254740992');
  });

  it('leaves structured content that is null to 2026-07-28', () => {
    const result = '{"content":[],"structuredContent":null}';
    expect(judged('tools/call', result, 'modern')).equal(result);
  });

  it('takes null for an empty list, and no other result that is not an object', () => {
    expect(judged('prompts/list', 'null')).equal('{}');
    expect(judged('tools/call', 'null')).equal(undefined);
    expect(judged('prompts/list', '[]')).equal(undefined);
  });

  it('mends a thousand items at once, and no depth overflows it', () => {
    const many = content(
      ...Array.from({ length: 1_000 }, () => ({ ...TEXT, annotations: null, _meta: null })),
    );
    expect(JSON.parse(judged('tools/call', many) ?? '')).deep.equal(
      content(...Array.from({ length: 1_000 }, () => TEXT)),
    );
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(judged('tools/call', `{"content":null,"structuredContent":{"deep":${deep}}}`)).equal(
      'content must be an array, not null',
    );
  });
});
