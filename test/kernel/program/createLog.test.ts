import { expect } from 'chai';
import { GatewayError } from '../../../kernel/errors.ts';
import type { Log, LogLevel } from '../../../kernel/log.ts';
import { createLog } from '../../../kernel/program/createLog.ts';
import type { LogOptions } from '../../../kernel/program/createLog.ts';

function makeLog(options: Partial<LogOptions> = {}): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const log = createLog({
    level: () => 'debug',
    format: 'text',
    colour: false,
    write: (line) => lines.push(line),
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    ...options,
  });
  return { log, lines };
}
function jsonOf(lines: readonly string[]): Record<string, unknown> {
  return JSON.parse(lines.at(-1)!) as Record<string, unknown>;
}

/** Control characters and marks that change the direction of text. */
function unprintableIn(text: string): string[] {
  return Array.from(text).filter((char) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(char));
}

describe('Log', () => {
  it('writes one line of text: time, level, constant text, data', () => {
    const { log, lines } = makeLog();
    log.info('server connected', { server: 'files', ms: 12, at: 'a b', none: undefined });
    expect(lines).to.deep.equal([
      '2026-01-02T03:04:05.678Z info  server connected server=files ms=12 at="a b"\n',
    ]);
  });

  it('writes one JSON object a line', () => {
    const { log, lines } = makeLog({ format: 'json' });
    log.warn('x', { n: 1n, deep: { list: [1] } });
    expect(lines.at(-1)).to.match(/^[^\n]*\n$/);
    expect(jsonOf(lines)).to.deep.equal({
      time: '2026-01-02T03:04:05.678Z',
      level: 'warn',
      text: 'x',
      n: '1',
      deep: { list: [1] },
    });
  });

  it('leaves out lines below its level', () => {
    const { log, lines } = makeLog({ level: () => 'warn' });
    log.debug('no');
    log.info('no');
    log.warn('yes');
    log.error('yes');
    expect(lines).to.have.length(2);
  });

  it('asks for its level with every line, of its children too', () => {
    let level: LogLevel = 'error';
    const { log, lines } = makeLog({ level: () => level });
    const child = log.child({ plugin: 'p' });
    child.info('no');
    level = 'info';
    child.info('yes');
    expect(lines).to.have.length(1);
  });

  it('colours the level only when asked, and never in JSON', () => {
    const plain = makeLog();
    const coloured = makeLog({ colour: true });
    const json = makeLog({ colour: true, format: 'json' });
    for (const { log } of [plain, coloured, json]) log.error('x');
    expect(plain.lines[0]).not.to.contain('\u001b');
    expect(coloured.lines[0]).to.contain('\u001b[31merror\u001b[0m');
    expect(json.lines[0]).not.to.contain('\\u001b');
  });

  it('includes the bindings of a child', () => {
    const { log, lines } = makeLog({ format: 'json' });
    log.child({ plugin: 'p' }).child({ server: 's' }).info('x', { server: 'mine' });
    expect(jsonOf(lines)).to.include({ plugin: 'p', server: 'mine' });
  });

  it('keeps secrets out, at any depth, in both formats', () => {
    const secrets = {
      Authorization: 's3cret',
      deep: { list: [{ accessToken: 's3cret' }], password: 's3cret' },
      'api-key': 's3cret',
    };
    for (const format of ['text', 'json'] as const) {
      const { log, lines } = makeLog({ format });
      log.info('x', {
        ...secrets,
        cookie: 's3cret',
        'set-cookie': 's3cret',
        client_secret: 's3cret',
        credentials: { user: 's3cret' },
      });
      expect(lines[0]).to.contain('[redacted]');
      expect(lines[0]).not.to.contain('s3cret');
    }
  });

  it('escapes line breaks and terminal sequences in data', () => {
    const evil =
      'a\n2026 error forged\r\u001b[2J\u009b2J\u202etxt\u2066\u2028\u2029\u200b\u200f\u061c\u{e0041}';
    for (const format of ['text', 'json'] as const) {
      const { log, lines } = makeLog({ format });
      log.info('x', { evil, deep: { evil } });
      expect(unprintableIn(lines[0]!.slice(0, -1))).to.deep.equal([]);
      if (format === 'json') expect(jsonOf(lines)['evil']).to.equal(evil);
    }
  });

  it('escapes them in the text too: messages name keys and values of configuration files', () => {
    for (const format of ['text', 'json'] as const) {
      const { log, lines } = makeLog({ format });
      log.error('unknown key "a\n2026 error forged\u001b[2J\u009b"');
      expect(unprintableIn(lines[0]!.slice(0, -1))).to.deep.equal([]);
    }
  });

  it('cuts long values', () => {
    const { log, lines } = makeLog();
    log.info('x', { long: 'y'.repeat(10_000) });
    expect(lines[0]!.length).below(3_000);
  });

  it('shows the code of our errors without their stack, the stack of others, and causes', () => {
    const { log, lines } = makeLog({ format: 'json' });
    log.error('x', { error: new GatewayError('PLUGIN_START', 'no', { cause: new Error('port is taken') }) });
    const { error } = jsonOf(lines) as { error: Record<string, unknown> };
    expect(error).to.include({ code: 'PLUGIN_START', message: 'no' }).and.not.to.have.property('stack');
    expect(error['cause']).to.include({ message: 'port is taken' }).and.to.have.property('stack');
  });

  it('never throws, whatever it is given', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const looped = new Error('loop');
    looped.cause = looped;
    const hostile = {
      get boom(): never {
        throw new Error('getter');
      },
    };
    for (const format of ['text', 'json'] as const) {
      const { log, lines } = makeLog({ format });
      for (const data of [
        circle,
        { looped },
        { hostile },
        { symbol: Symbol('s'), fn: () => 1, map: new Map() },
      ]) {
        log.error('still told', data);
        expect(lines.at(-1))
          .to.contain('still told')
          .and.to.match(/^[^\n]*\n$/);
      }
    }
  });
});
