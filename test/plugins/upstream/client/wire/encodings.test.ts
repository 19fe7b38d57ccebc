import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { defer } from '../../../../support/cleanup.ts';
import { HttpFixture } from '../../httpFixture.ts';
import { Rig } from '../../support.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
/** 100 MB in 100 KB. */
const BOMB = gzipSync(`data: ${'x'.repeat(100_000_000)}`, { level: 9 });
const HALF = gzipSync(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 3, result: {} })}\n\n`).subarray(0, 30);

describe('upstream: content encodings', () => {
  let rig: Rig;
  let server: HttpFixture;
  beforeEach(async () => {
    rig = new Rig();
    defer(() => rig.stop());
    server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    await rig.configure({ maxMessageBytes: 1_000_000 });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.hasTool('x_s_echo');
  });
  const answer = (status: number, type: string, encoding: string, body: string | Buffer): void => {
    server.instead = { status, headers: { 'content-type': type, 'content-encoding': encoding }, body };
  };

  for (const type of [JSON_TYPE, STREAM_TYPE])
    it(`count against maxMessageBytes while they are decoded, in ${type}`, async () => {
      answer(200, type, 'gzip', BOMB);
      const before = process.memoryUsage().rss;
      const { code, message } = await rig.refusal('x_s_echo');
      expect(message).contain('tool echo of server s failed').and.contain('longer than 1000000 bytes');
      expect(code).equal('UPSTREAM_CLOSED');
      expect(process.memoryUsage().rss - before).below(50_000_000);
      server.instead = undefined;
      expect(await rig.text('x_s_echo')).equal('echo ');
    });

  for (const [what, status, type, encoding, body, code, words] of [
    [
      ...([
        'an answer that is not compressed',
        200,
        JSON_TYPE,
        'gzip',
        'plain',
        'UPSTREAM_PROTOCOL',
      ] as const),
      'HTTP 200 with Content-Encoding: gzip and a body that cannot be decoded: incorrect header check',
    ],
    [
      ...(['an answer that is cut short', 200, JSON_TYPE, 'gzip', HALF, 'UPSTREAM_PROTOCOL'] as const),
      'HTTP 200 with Content-Encoding: gzip and a body that cannot be decoded: unexpected end of file',
    ],
    [
      ...(['an event stream that is cut short', 200, STREAM_TYPE, 'gzip', HALF, 'UPSTREAM_CLOSED'] as const),
      'it answered with Content-Encoding: gzip and a body that cannot be decoded: unexpected end of file',
    ],
    [
      ...(['an error that is cut short', 500, JSON_TYPE, 'gzip', HALF, 'UPSTREAM_ERROR'] as const),
      'HTTP 500 with Content-Encoding: gzip and a body that cannot be decoded: unexpected end of file',
    ],
    [
      ...(['an unknown encoding', 200, JSON_TYPE, 'zstd', HALF, 'UPSTREAM_PROTOCOL'] as const),
      'HTTP 200 with Content-Encoding: zstd, which it was asked not to use; gzip, deflate and br are decoded',
    ],
    [
      ...(['one upon the other', 200, JSON_TYPE, 'gzip, br', HALF, 'UPSTREAM_PROTOCOL'] as const),
      'HTTP 200 with Content-Encoding: gzip, br, which it was asked not to use',
    ],
    [
      ...([
        'an unknown encoding of an event stream',
        200,
        STREAM_TYPE,
        'zstd',
        HALF,
        'UPSTREAM_CLOSED',
      ] as const),
      'it answered with Content-Encoding: zstd, which it was asked not to use',
    ],
    [
      ...(['an unknown encoding of an error', 403, JSON_TYPE, 'zstd', HALF, 'UPSTREAM_ERROR'] as const),
      'HTTP 403 with Content-Encoding: zstd, which it was asked not to use',
    ],
    [
      ...(['an error in "utf-8"', 403, JSON_TYPE, 'utf-8', 'not today', 'UPSTREAM_ERROR'] as const),
      'HTTP 403: not today',
    ],
  ] as const)
    it(`name the server and the header of what is unreadable: ${what}`, async () => {
      answer(status, type, encoding, body);
      const error = await rig.refusal('x_s_echo');
      expect(error.message).contain('tool echo of server s failed: ').and.contain(words);
      expect(error.code).equal(code);
      server.instead = undefined;
      expect(await rig.text('x_s_echo')).equal('echo ');
    });
});
