import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Transform } from 'node:stream';
import { constants, createBrotliCompress, createDeflate, createDeflateRaw, createGzip } from 'node:zlib';
import { defer } from '../../support/cleanup.ts';

const FLUSHED = { flush: constants.Z_SYNC_FLUSH };
const GZIP = ['gzip', () => createGzip(FLUSHED)] as const;

/** Content encodings and their encoders, by what they show. */
export const ENCODERS: Readonly<Record<string, readonly [encoding: string, open: () => Transform]>> = {
  gzip: GZIP,
  'x-gzip in capitals': ['X-GZIP', GZIP[1]],
  br: ['br', () => createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH })],
  deflate: ['deflate', () => createDeflate(FLUSHED)],
  'deflate without its header': ['deflate', () => createDeflateRaw(FLUSHED)],
};

/** A proxy that compresses every answer and flushes what it has, whatever it was asked for. @returns its address with the path of `url` */
export async function compressing(url: string, [encoding, open] = GZIP as (typeof ENCODERS)[string]) {
  const to = new URL(url);
  const proxy = createServer((req, res) => {
    const { method, headers, url: path } = req;
    const sent = request({ host: to.hostname, port: to.port, method, headers, path }, (answer) => {
      delete answer.headers['content-length'];
      const sentOn = { ...answer.headers, 'content-encoding': encoding };
      res.writeHead(answer.statusCode ?? 500, sentOn).flushHeaders();
      // As of real proxies: an answer without a body has the header alone.
      let encoder: Transform | undefined;
      answer
        .on('data', (chunk: Buffer) => {
          if (encoder === undefined) (encoder = open()).pipe(res);
          encoder.write(chunk);
        })
        .on('end', () => (encoder ?? res).end())
        .on('error', () => res.destroy());
    });
    sent.on('error', () => res.destroy());
    res.on('close', () => sent.destroy());
    req.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  defer(() => {
    proxy.closeAllConnections();
    return new Promise((resolve) => proxy.close(resolve));
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${to.pathname}`;
}
