import type { IncomingMessage } from 'node:http';
import { GatewayError } from 'pegboard';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The whole body as text. @throws GatewayError REQUEST_TOO_LARGE, REQUEST_MEDIA_TYPE, REQUEST_MALFORMED */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<string> {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    const text = `content-encoding ${JSON.stringify(encoding.slice(0, 40))} is not supported; send the body uncompressed`;
    return Promise.reject(new GatewayError('REQUEST_MEDIA_TYPE', text));
  }
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (error: GatewayError): void => {
      req.removeAllListeners('data');
      req.pause();
      reject(error);
    };
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) fail(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    req.once('end', () => {
      try {
        const [only] = chunks;
        resolve(UTF8.decode(chunks.length === 1 ? only : Buffer.concat(chunks)));
      } catch {
        fail(new GatewayError('REQUEST_MALFORMED', 'the body is not valid UTF-8'));
      }
    });
    req.once('error', () =>
      fail(new GatewayError('REQUEST_MALFORMED', 'the connection closed inside the body')),
    );
  });
}

function tooLarge(maxBytes: number): GatewayError {
  const fix = 'send less, or raise plugins.http.config.maxBodyBytes';
  return new GatewayError('REQUEST_TOO_LARGE', `the body is over ${maxBytes} bytes; ${fix}`);
}
