import { expect } from 'chai';
import {
  jsonResult,
  rawResult,
  resultOf,
  structuredResult,
  textResult,
} from '../../../kernel/lib/results.ts';

describe('Results', () => {
  it('keep JSON text unchanged and parse it only when it is read, once', () => {
    const json = '{"content":[],"big":12345678901234567890,"b":1,"a":2}';
    const result = rawResult(json);
    expect(result.json).to.equal(json);
    expect(result.value()).to.equal(result.value());
    expect(result.value()['a']).to.equal(2);
    expect(() => rawResult('not JSON').json).not.to.throw();
  });

  it('write a value as JSON only when the text is read, once', () => {
    let reads = 0;
    const value = {
      get content() {
        reads += 1;
        return [];
      },
    };
    const result = resultOf(value);
    expect(result.value()).to.equal(value);
    expect(reads).to.equal(0);
    expect(result.json).to.equal('{"content":[]}');
    expect(result.json).to.equal('{"content":[]}');
    expect(reads).to.equal(1);
  });

  it('hold one text item, compact if it is JSON, and isError only if it is an error', () => {
    expect(textResult('x').value()).to.deep.equal({ content: [{ type: 'text', text: 'x' }] });
    expect(textResult('x', true).value()).to.deep.equal({
      content: [{ type: 'text', text: 'x' }],
      isError: true,
    });
    expect(jsonResult({ a: [1] }).value().content[0]?.['text']).to.equal('{"a":[1]}');
  });

  it('contain data twice: as structured content and as the same text', () => {
    const { content, structuredContent } = structuredResult({ a: [1] }).value();
    expect(structuredContent).to.deep.equal({ a: [1] });
    expect(content).to.deep.equal([{ type: 'text', text: '{"a":[1]}' }]);
  });
});
