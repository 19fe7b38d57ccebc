import { readFileSync } from 'node:fs';
import { packageFile } from 'pegboard';
import type { PageAnswer } from './answers.ts';

/** Path of the events that tell pages of changes. */
export const STREAM_PATH = '/events/stream';

const TYPES: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** What pages load, by path. */
export function fileAnswers(): ReadonlyMap<string, PageAnswer> {
  const entries = Object.entries(TYPES).map(([name, type]): [string, PageAnswer] => {
    const body = readFileSync(packageFile(`plugins/admin/assets/${name}`), 'utf8');
    return [`/${name}`, { status: 200, headers: { 'content-type': type }, body }];
  });
  return new Map(entries);
}
