import { expect } from 'chai';
import { rawResult } from '../../../../kernel/index.ts';
import { inOlderShape } from '../../../../plugins/front/message/inOlderShape.ts';
import { callBody, callTool, initialize, metaTool, startEdge } from '../../../support/edge.ts';
import { post, statelessCall } from '../../../support/stateless.ts';

const shaped = (result: string): unknown => JSON.parse(inOlderShape(result));
const text = (of: string) => [{ type: 'text', text: of }];

describe('front: a result for revisions up to 2025-11-25', () => {
  it('has every structured content that is not an object as one, and as text if there is no content', () => {
    for (const value of ['[1,2]', '"a"', '7', 'true', 'null', '[{"a":[1e400]}]'])
      for (const space of ['', ' ', '\n  ']) {
        const told = `{"content":[],"structuredContent"${space}:${space}${value}}`;
        expect(inOlderShape(told)).include(`{"result":${value}}`).and.include(JSON.stringify(value));
        const full = `{"structuredContent":${space}${value},"content":[{"type":"text","text":"t"}]}`;
        expect(inOlderShape(full)).equal(full.replace(space + value, `${space}{"result":${value}}`));
      }
    expect(shaped('{"structuredContent":[1]}')).deep.equal({
      structuredContent: { result: [1] },
      content: text('[1]'),
    });
    expect(shaped('{"content":[ ],"structuredContent":"ä"}')).deep.equal({
      content: text('"ä"'),
      structuredContent: { result: 'ä' },
    });
  });

  it('stays as it is otherwise, whatever its texts and members hold', () => {
    for (const result of [
      '{"content":[]}',
      '{"content":[],"structuredContent":{}}',
      '{"content":[],"structuredContent" :\n {"a":[1]}}',
      '{"content":[],"structuredContent":{"structuredContent":[1]}}',
      JSON.stringify({ content: text('{"structuredContent":[1]}') }),
      '{"content":[],"_meta":{"a/structuredContent":[1],"a":{"structuredContent":[1]}}}',
    ])
      expect(inOlderShape(result)).equal(result);
  });

  it('is what such a client gets, while one of 2026-07-28 gets what the tool returned', async () => {
    const result = '{"content":[],"structuredContent":[1,2]}';
    const { url } = await startEdge({ tools: [metaTool('list', () => rawResult(result))] });
    const older = await callTool(url, await initialize(url), callBody('list'));
    expect(older.json().result).deep.equal({
      content: text('[1,2]'),
      structuredContent: { result: [1, 2] },
    });
    const newer = await post(url, statelessCall('list'));
    expect(newer.json().result).deep.include({ content: [], structuredContent: [1, 2] });
  });
});
