import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readRecording } from '../../../plugins/cassettes/recording.ts';
import { replayServer } from '../../../plugins/cassettes/replayServer.ts';
import type { Respond } from '../../../plugins/cassettes/replayServer.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import { programAt } from '../../support/programs.ts';

const REPLAY = programAt('plugins/cassettes/replay.ts');
const HEAD =
  '{"cassette":1,"server":"shop","tools":[{"name":"find","inputSchema":{"type":"object"},"x":1.0}]}';
const FIND =
  '{"tool":"find","arguments":{"word":"tea","at":[1,{"a":1,"b":2}]},"result":{ "content":[], "n":1.0}}';

interface Answer {
  readonly result?: { readonly [key: string]: unknown; readonly content: readonly { text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

function write(...lines: readonly string[]): string {
  return makeDirectory({ 'shop.jsonl': lines.join('\n') }).at('shop.jsonl');
}
function serve(...lines: readonly string[]): Respond {
  return replayServer(readRecording(write(...lines, '')));
}
function request(method: string, params: unknown = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}
function call(server: Respond, name: string, args?: unknown): string {
  return server(request('tools/call', { name, arguments: args })) ?? '';
}
function parse(text: string | undefined): Answer {
  return JSON.parse(text ?? 'null') as Answer;
}

describe('pegboard-replay', () => {
  it('answers a recorded call byte for byte, whatever the order of keys', () => {
    const server = serve(HEAD, FIND);
    const expected = '{"jsonrpc":"2.0","id":1,"result":{ "content":[], "n":1.0}}';
    expect(call(server, 'find', { at: [1, { b: 2, a: 1 }], word: 'tea' })).equal(expected);
  });

  it('answers calls that were recorded several times in turn, the last one from then on', () => {
    const line = (n: number, word = 'x'): string =>
      `{"tool":"find","arguments":{"word":"${word}"},"result":{"content":[],"n":${n}}}`;
    const server = serve(HEAD, line(1), line(9, 'y'), HEAD, line(2));
    const ns = [1, 2, 3].map(() => parse(call(server, 'find', { word: 'x' })).result?.['n']);
    expect(ns).deep.equal([1, 2, 2]);
    expect(parse(call(server, 'find', { word: 'y' })).result?.['n']).equal(9);
  });

  it('answers a recorded error as an error', () => {
    const error = '{"code":-32050,"message":"no such row","data":{"row":7}}';
    const server = serve(HEAD, `{"tool":"find","arguments":{},"error":${error}}`);
    expect(call(server, 'find')).equal(`{"jsonrpc":"2.0","id":1,"error":${error}}`);
  });

  it('refuses a call that was not recorded with an error result that names the nearest arguments', () => {
    const server = serve(HEAD, FIND, '{"tool":"find","arguments":{"other":1},"result":{"content":[]}}');
    const near = parse(call(server, 'find', { word: 'teas', at: [] })).result;
    expect(near).include({ isError: true });
    expect(near?.content[0]?.text).equal(
      'no call of find with {"word":"teas","at":[]} is recorded; the nearest recorded call has {"word":"tea","at":[1,{"a":1,"b":2}]}',
    );
    const unknown = parse(call(server, 'drop', {})).result;
    expect(unknown?.content[0]?.text).equal('no call of drop with {} is recorded; no call of this tool is');
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`;
    expect(parse(server(deep)).result).include({ isError: true });
  });

  it('accepts any text in place of a hidden one', () => {
    const args = '{"key":"[redacted]","url":"http://[redacted]@host/[redacted]/x","n":"[redacted]"}';
    const server = serve(HEAD, `{"tool":"find","arguments":${args},"result":{"content":[],"ok":true}}`);
    const isFound = (given: unknown): boolean => parse(call(server, 'find', given)).result?.['ok'] === true;
    expect(isFound({ key: 'k', url: 'http://me:pw@host/7/x', n: 4711 })).equal(true);
    expect(isFound({ key: 'k', url: 'http://me:pw@other/7/x', n: 4711 })).equal(false);
    expect(isFound({ key: 'k', url: 'http://me:pw@host/x', n: 4711 })).equal(false);
    expect(isFound({ key: 'k', url: 'http://me:pw@host/7/x', n: 4711, more: 1 })).equal(false);
  });

  it('negotiates the revision, lists the tools as declared, answers pings, and supports no other method', () => {
    const server = serve(HEAD.replace('find', 'former'), HEAD, FIND);
    const agreed = (protocolVersion: string): unknown =>
      parse(server(request('initialize', { protocolVersion }))).result?.['protocolVersion'];
    expect(agreed('2024-11-05')).equal('2024-11-05');
    expect(agreed('1999-01-01')).equal('2025-11-25');
    expect(server(request('tools/list'))).contain(
      '"result":{"tools":[{"name":"find","inputSchema":{"type":"object"},"x":1.0}]}',
    );
    expect(server(request('ping'))).equal('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(parse(server(request('prompts/list'))).error).include({ code: -32601 });
    expect(parse(server(request('tools/call'))).error).include({ code: -32602 });
    expect(server('{"jsonrpc":"2.0","method":"notifications/initialized"}')).equal(undefined);
    expect(parse(server('{"jsonrpc":"2.0","id":[1],"method":"ping"}')).error).include({ code: -32600 });
    expect(parse(server('7')).error).include({ code: -32600 });
    expect(parse(server('{')).error).include({ code: -32700 });
    expect(server(`[${request('ping')},${request('ping')}]`)).match(/^\[\{.*\},\{.*\}\]$/);
  });

  it('names file and line of a line that is not part of a cassette', () => {
    const faultOf = (...lines: readonly string[]): string => {
      try {
        readRecording(write(...lines));
        return '';
      } catch (error) {
        return (error as Error).message.replace(/^.*shop\.jsonl/, '');
      }
    };
    expect(faultOf('')).equal(': is empty; record a call first');
    expect(faultOf(FIND)).equal(':1: a cassette begins with {"cassette":1,…}');
    expect(faultOf('{"tool":"fi')).equal(':1: is not a JSON object; record the cassette again');
    expect(faultOf(HEAD, '{"tool":"fi', FIND)).equal(':2: is not a JSON object; record the cassette again');
    expect(faultOf('{"cassette":2}')).equal(':1: is of version 2, and only version 1 can be replayed');
    expect(faultOf('{"cassette":1}')).equal(':1: needs server, a string, and tools, an array');
    expect(faultOf(HEAD, '{"tool":"find"}')).equal(':2: a call needs tool, arguments, and result or error');
  });

  describe('as a program', () => {
    const run = async (args: readonly string[], input = '') => {
      const child = spawn(process.execPath, [...REPLAY, ...args]);
      defer(() => child.kill('SIGKILL'));
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
      child.stdin.end(input);
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, stdout, stderr };
    };

    it('serves until its input ends, without the last line when that was cut off', async () => {
      const file = write(HEAD, FIND, '{"tool":"find","argum');
      const { code, stdout, stderr } = await run([file], `${request('ping')}\n\n${request('ping')}\n`);
      expect({ code, stdout }).deep.equal({
        code: 0,
        stdout: '{"jsonrpc":"2.0","id":1,"result":{}}\n'.repeat(2),
      });
      expect(stderr).contain(`${file}:3: was cut off`).and.contain('replaying server shop');
    });

    it('prints its usage, and what is wrong with its command line or its cassette', async () => {
      const [help, none, missing] = await Promise.all([run(['--help']), run([]), run(['/nowhere/a.jsonl'])]);
      expect(help).include({ code: 0, stderr: '' });
      expect(help.stdout).contain('pegboard-replay CASSETTE');
      expect(none).include({ code: 64, stdout: '' });
      expect(none.stderr).contain('which cassette? one file is expected').and.contain('Usage');
      expect(missing).include({ code: 1, stdout: '' });
      expect(missing.stderr).match(/^pegboard-replay: \/nowhere\/a\.jsonl: cannot be read: ENOENT/);
    });
  });
});
