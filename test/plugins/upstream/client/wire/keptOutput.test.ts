import { expect } from 'chai';
import { hiderOf } from '../../../../../plugins/kit/secrets/hiding.ts';
import { KeptOutput } from '../../../../../plugins/upstream/client/wire/keptOutput.ts';
import type { ServiceOutput } from '../../../../../plugins/contracts/services.ts';

const none = hiderOf([]);
const wordsOf = ({ lines }: ServiceOutput): readonly string[] =>
  lines.map((line) => ('text' in line ? line.text : '(start)'));

describe('upstream: the kept output of a server', () => {
  const limits = { stderrKeptLines: 5, stderrKeptChars: 40 };
  const read = (output: KeptOutput, lines = 10, after?: string): ServiceOutput =>
    output.read({ lines, after }, (line, hide) => hide(line));
  const withLines = (...lines: readonly string[]): KeptOutput => {
    const output = new KeptOutput(() => limits);
    for (const line of lines) output.add(line, none);
    return output;
  };

  it('has at most so many lines and so many characters', () => {
    const output = withLines('1', '2', '3', '4', '5', '6');
    expect(wordsOf(read(output))).to.deep.equal(['2', '3', '4', '5', '6']);
    output.add('x'.repeat(38), none);
    expect(wordsOf(read(output))).to.deep.equal(['5', '6', 'x'.repeat(38)]);
    output.add('x'.repeat(41), none);
    expect(wordsOf(read(output))).to.deep.equal([]);
    output.add('7', none);
    expect(wordsOf(read(output))).to.deep.equal(['7']);
  });

  it('is read from its end, and continued behind a cursor without a gap or a repetition', () => {
    const output = withLines('1', '2', '3');
    const last = read(output, 2);
    expect(wordsOf(last)).to.deep.equal(['2', '3']);
    expect(wordsOf(read(output, 2, last.next))).to.deep.equal([]);
    for (const line of ['4', '5', '6']) output.add(line, none);
    const next = read(output, 2, last.next);
    expect(wordsOf(next)).to.deep.equal(['4', '5']);
    expect(next).to.not.have.property('missed');
    expect(wordsOf(read(output, 2, next.next))).to.deep.equal(['6']);
  });

  it('counts what was lost behind a cursor, and takes a foreign cursor for none', () => {
    const output = withLines('1');
    const { next } = read(output);
    for (let at = 2; at < 10; at += 1) output.add(String(at), none);
    expect(read(output, 10, next)).to.have.property('missed', 3);
    for (const foreign of [read(withLines('1')).next, 'x', '', '-', `${next.split('-')[0]!}-99`])
      expect(wordsOf(read(output, 1, foreign)), foreign).to.deep.equal(['9']);
  });

  it('marks starts, those in a row once', () => {
    const output = withLines('1');
    for (let at = 0; at < 3; at += 1) output.started(none);
    output.add('2', none);
    const { lines } = read(output);
    expect(wordsOf({ lines, next: '' })).to.deep.equal(['1', '(start)', '2']);
    expect(lines[1]).to.have.property('started', true);
    expect(lines.every(({ time }) => Math.abs(Date.parse(time) - Date.now()) < 60_000)).to.equal(true);
  });

  it('hides the secrets that a process had also when the next one has others', () => {
    const output = withLines();
    output.add('with old-secret', hiderOf([{ name: 'TOKEN', text: 'old-secret' }]));
    output.add('with new-secret', hiderOf([{ name: 'TOKEN', text: 'new-secret' }]));
    expect(wordsOf(read(output))).to.deep.equal(['with [redacted]', 'with [redacted]']);
  });
});
