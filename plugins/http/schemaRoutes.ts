import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GatewayError } from 'pegboard';
import type { InboundRequest, Reply } from 'pegboard';
import type { HttpExchange, Route } from '../contracts/http.ts';
import { EDITOR_SCHEMAS, editorSchema } from '../kit/definitions/schemaLine.ts';

/** How long an editor may use a schema without asking again; after that it asks by its ETag. */
const FRESH_SECONDS = 300;

/** The schemas that editors read of config.yaml and definitions: files of the package, the same for everybody. */
export function schemaRoutes(): readonly Route[] {
  const textByFile = new Map<string, string>();
  const handle = async ({ params }: HttpExchange, request: InboundRequest): Promise<Reply> => {
    const { file = '' } = params;
    const name = EDITOR_SCHEMAS.find((one) => file === `${one}.schema.json`);
    if (name === undefined) throw new GatewayError('REQUEST_NOT_FOUND', `there is no such schema; ${KNOWN}`);
    const text = textByFile.get(name) ?? (await readFile(editorSchema(name), 'utf8'));
    textByFile.set(name, text);
    return replyWith(text, request.header('if-none-match'));
  };
  const path = '/schemas/:file';
  return (['GET', 'HEAD'] as const).map((method): Route => ({ method, path, access: 'public', handle }));
}

const KNOWN = `there are ${EDITOR_SCHEMAS.map((name) => `${name}.schema.json`).join(', ')}`;

function replyWith(text: string, known: string | undefined): Reply {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const headers = { etag, 'cache-control': `public, max-age=${FRESH_SECONDS}` };
  if (known?.includes(etag) === true) return { status: 304, headers };
  return { status: 200, headers: { ...headers, 'content-type': 'application/schema+json' }, body: text };
}
