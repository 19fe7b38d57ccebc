import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { packageFile } from 'pegboard';
import { LOOK } from '../../kit/http/look.ts';

const CSP = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Headers of every response. Nothing is kept by browsers or proxies, and no other site may load or read it. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  // With no-referrer, browsers submit a page's form with `Origin: null`, which is refused.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

const FILE_TYPES: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'copy.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function htmlAnswer(status: number, body: string): PageAnswer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

export function jsonAnswer(status: number, value: unknown): PageAnswer {
  const body = `${JSON.stringify(value, null, 2)}\n`;
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}

export function wantsJson({ headers: { accept = '' } }: IncomingMessage): boolean {
  return accept.includes('application/json');
}

export function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: PageAnswer): void {
  const bytes = Buffer.from(body);
  res.writeHead(status, { ...HEADERS, ...headers, 'content-length': String(bytes.length) });
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

/** What pages load, by path. */
export function fileAnswers(): ReadonlyMap<string, PageAnswer> {
  const entries = Object.entries(FILE_TYPES).map(([name, type]): [string, PageAnswer] => {
    const text = readFileSync(packageFile(`plugins/admin/assets/${name}`), 'utf8');
    const body = name === 'style.css' ? LOOK + text : text;
    return [`/${name}`, { status: 200, headers: { 'content-type': type }, body }];
  });
  return new Map(entries);
}
