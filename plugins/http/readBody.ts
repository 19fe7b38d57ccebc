import type { IncomingMessage } from 'node:http';
import { GatewayError } from 'pegboard';
import type { MemoryShare } from '../contracts/memory.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The whole body as text. @param share of a body that is not small
 *  @throws GatewayError REQUEST_TOO_LARGE, REQUEST_MEDIA_TYPE, REQUEST_MALFORMED, MEMORY_FULL */
export function readBody(
  req: IncomingMessage,
  maxBytes: number,
  share: MemoryShare | undefined,
): Promise<string> {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    const text = `content-encoding ${JSON.stringify(encoding.slice(0, 40))} is not supported; send the body uncompressed`;
    return Promise.reject(new GatewayError('REQUEST_MEDIA_TYPE', text));
  }
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes));
  if (share?.size(announced) === false) return share.room().then(() => collect(req, maxBytes, undefined));
  return collect(req, maxBytes, announced > 0 ? undefined : share);
}

/** @param share of a body whose size was not announced */
function collect(req: IncomingMessage, maxBytes: number, share: MemoryShare | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (error: GatewayError): void => {
      req.removeAllListeners('data');
      req.pause();
      reject(error);
    };
    const cut = (): void =>
      fail(new GatewayError('REQUEST_MALFORMED', 'the connection closed inside the body'));
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) fail(tooLarge(maxBytes));
      else if (share?.size(bytes) === false) {
        req.pause();
        share.room().then(() => req.resume(), fail);
      }
    });
    req.on('end', () => {
      try {
        const [only] = chunks;
        resolve(UTF8.decode(chunks.length === 1 ? only : Buffer.concat(chunks)));
      } catch {
        fail(new GatewayError('REQUEST_MALFORMED', 'the body is not valid UTF-8'));
      }
    });
    req.on('error', cut);
    if (req.destroyed) cut();
  });
}

function tooLarge(maxBytes: number): GatewayError {
  const fix = 'send less, or raise plugins.http.config.maxBodyBytes';
  return new GatewayError('REQUEST_TOO_LARGE', `the body is over ${maxBytes} bytes; ${fix}`);
}
