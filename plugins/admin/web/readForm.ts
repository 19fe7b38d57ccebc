import type { IncomingMessage } from 'node:http';
import { GatewayError } from 'pegboard';

const MAX_BYTES = 1_000_000;
const FORM = 'application/x-www-form-urlencoded';

/** The fields of a form; empty without a body.
 *  @throws GatewayError REQUEST_MEDIA_TYPE, REQUEST_TOO_LARGE */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  if (Number(req.headers['content-length'] ?? 0) > MAX_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Without this option the connection would end before the answer.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString();
  if (body === '') return new URLSearchParams();
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === FORM) return new URLSearchParams(body);
  throw new GatewayError('REQUEST_MEDIA_TYPE', `send the fields as ${FORM}`);
}

function tooLarge(): GatewayError {
  return new GatewayError('REQUEST_TOO_LARGE', `the form is over ${MAX_BYTES} bytes`);
}
