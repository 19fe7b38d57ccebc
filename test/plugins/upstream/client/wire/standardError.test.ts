import { expect } from 'chai';
import { splitMessage } from '../../../../../plugins/upstream/client/rpc/splitMessage.ts';
import { StandardError, withLastWords } from '../../../../../plugins/upstream/client/wire/standardError.ts';
import { PodLog } from '../../../../../plugins/upstream/server/podLog.ts';
import { countCalls } from '../../../../support/countCalls.ts';
import { captureLog } from '../../../../support/log.ts';

describe('upstream: output of a server other than messages', () => {
  const limits = {
    maxLogLineChars: 100,
    maxLogLinesPerSecond: 20,
    stderrTailLines: 3,
    stderrKeptLines: 5,
    stderrKeptChars: 1_000,
  };

  it('is cut and redacted only when it is shown', () => {
    const log = captureLog();
    const output = new StandardError(log, () => limits);
    output.hide([{ name: 'TOKEN', text: 'very-secret-token' }]);
    const redactions = countCalls(RegExp.prototype, Symbol.replace);
    for (let at = 0; at < 5_000; at += 1) output.noise(`${at} very-secret-token`);
    output.push(Buffer.from('a very-secret-token\n'.repeat(5_000)));
    // A second may end meanwhile, and the next one has its own quota of lines.
    const told = log.having('server wrote');
    expect(told.length).to.be.within(20, 60);
    expect(redactions()).to.be.below(500);
    expect(output.quotes()).to.deep.equal({
      first: 'a [redacted]',
      tail: Array(3).fill('a [redacted]'),
      noise: '0 [redacted]',
    });
  });

  it('count when they never end, and are reported as too long once', () => {
    const output = new StandardError(captureLog(), () => limits);
    for (let round = 0; round < 4; round += 1) expect(output.push(Buffer.alloc(40_000, 'x'))).to.be.above(0);
    output.push(Buffer.from('x\nlast\n'));
    expect(output.quotes().tail).to.deep.equal(['(a line that is too long)', 'last']);
    output.push(Buffer.alloc(70_000, 'x'));
    output.begin();
    output.push(Buffer.from('of the next process\n'));
    expect(output.quotes().tail).to.deep.equal(['of the next process']);
  });

  it('hides what a former process and pod were given until the next pod is reached', () => {
    const output = new StandardError(captureLog(), () => limits);
    const log = new PodLog({ pods: () => undefined }, 'files', output);
    output.hide([{ name: 'TOKEN', text: 'token-of-process' }]);
    for (const token of ['token-of-pod-1', 'token-of-pod-2'])
      log.follow({ isInPod: true, suspended: false, env: { TOKEN: token } });
    const words = output.redact('token-of-process token-of-pod-1 token-of-pod-2');
    expect(words).equal('[redacted] [redacted] [redacted]');
  });

  it('is kept over restarts, cut and without the secrets of the process that wrote it', () => {
    const output = new StandardError(captureLog(), () => limits);
    output.hide([{ name: 'TOKEN', text: 'old-secret' }]);
    output.begin();
    output.push(Buffer.from(`old-secret \u001b[31m${'x'.repeat(200)}\n`));
    output.hide([{ name: 'TOKEN', text: 'new-secret' }]);
    output.begin();
    output.push(Buffer.from('new-secret\n\nend\n'));
    const { lines } = output.read({ lines: 10 });
    const words = lines.map((line) => ('text' in line ? line.text : line.started));
    expect(words).to.have.length(5);
    expect(words[1])
      .to.match(/^\[redacted\] \W*x+…$/)
      .and.have.length(101);
    expect([words[0], ...words.slice(2)]).to.deep.equal([true, true, '[redacted]', 'end']);
  });

  it('is told once if it is as before, numbers apart that say what has happened', () => {
    const log = captureLog();
    const output = new StandardError(log, () => limits);
    const told = (): readonly unknown[] => log.having('server wrote').map(({ data }) => data['line'] ?? data);
    const write = (text: string): void => {
      output.begin();
      output.push(Buffer.from(text));
    };
    write('port 4001: HTTP/1.1 401\n');
    output.died([], false);
    write('port 4002: HTTP/1.1 503\n');
    output.died([], false);
    write('port 4003: HTTP/1.1 503\n');
    expect(told()).to.deep.equal(['port 4001: HTTP/1.1 401', 'port 4002: HTTP/1.1 503']);
    output.tellRepeated();
    output.tellRepeated();
    output.ended([], true);
    expect(told().slice(2)).to.deep.equal([{ lines: 1, attempt: 2 }]);
  });

  it('is quoted by its first line, which often names the cause, and its last lines', () => {
    const output = new StandardError(captureLog(), () => limits);
    output.push(Buffer.from('Error: no context\nusage: serve\n'));
    expect(withLastWords('it ended', output.quotes())).to.equal(
      'it ended; its last words: Error: no context | usage: serve',
    );
    output.push(Buffer.from('--port\n--host\n--help\n'));
    expect(withLastWords('it ended', output.quotes())).to.equal(
      'it ended; it began with: Error: no context; its last words: --port | --host | --help',
    );
    output.begin();
    expect(withLastWords('it ended', output.quotes())).to.equal('it ended');
  });

  it('is not parsed when it cannot be an object', () => {
    const parsed = countCalls(JSON as unknown as Record<'parse', typeof JSON.parse>, 'parse');
    for (const line of ['garbage', '-1', '"{}"', '}{', '\v{}'])
      expect(splitMessage(line)).to.equal(undefined);
    expect(parsed()).to.equal(0);
    expect(splitMessage(' \t\r\n{}')).to.deep.equal({ message: {} });
  });
});
