import { expect } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '../../kernel/program/createLog.ts';
import { defer } from './cleanup.ts';
import type { CapturedLog } from './log.ts';

/** Parameters, members of answers and cookies that no one else may learn. */
const SECRET_NAME =
  /^(code|state|nonce|code_verifier|client_secret|access_token|refresh_token|id_token|token|flow|subject_token)$/;

/** What was sent and answered while the test ran. */
export interface Seen {
  readonly secrets: ReadonlySet<string>;
  /** Origin, status and body of each refusal. */
  readonly refusals: readonly string[];
  /** HTML, after its origin. */
  readonly pages: readonly string[];
}

/** Records the requests of this process until the end of the test. */
export function recordRequests(): Seen {
  const secrets = new Set<string>();
  const refusals: string[] = [];
  const pages: string[] = [];
  const original = globalThis.fetch;
  const take = (name: string, value: unknown): void => {
    if (typeof value !== 'string' || value.length < 8 || !SECRET_NAME.test(name)) return;
    secrets.add(value);
    // The secret part of a refresh token.
    const [, part = ''] = value.split('.');
    if (part.length > 20) secrets.add(part);
  };
  const takeAll = (pairs: Iterable<readonly [string, unknown]>): void => {
    for (const [name, value] of pairs) take(name, value);
  };
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    takeAll(url.searchParams);
    if (typeof init?.body === 'string' || init?.body instanceof URLSearchParams)
      takeAll(new URLSearchParams(String(init.body)));
    const answer = await original(input, init);
    for (const line of answer.headers.getSetCookie()) {
      const value = /=([^;]{8,})/.exec(line)?.[1];
      if (value !== undefined) secrets.add(value);
    }
    const location = answer.headers.get('location');
    if (location !== null) takeAll(new URL(location, url).searchParams);
    const text = await answer.clone().text();
    for (const [, name = '', value] of text.matchAll(/name="(\w+)" value="([^"]+)"/g)) take(name, value);
    if (answer.headers.get('content-type')?.startsWith('application/json') === true && text !== '')
      takeAll(Object.entries(JSON.parse(text) as object));
    if (answer.headers.get('content-type')?.startsWith('text/html') === true)
      pages.push(`${url.origin} ${text}`);
    if (answer.status >= 400) refusals.push(`${url.origin} ${answer.status} ${text}`);
    return answer;
  };
  defer(() => {
    globalThis.fetch = original;
  });
  return { secrets, refusals, pages };
}

/** The lines that the program would have written, in both formats. */
export function linesOf({ records }: CapturedLog): readonly string[] {
  const lines: string[] = [];
  for (const format of ['json', 'text'] as const) {
    const log = createLog({ level: () => 'debug', format, colour: false, write: (line) => lines.push(line) });
    for (const { level, text, data } of records) log[level](text, data);
  }
  return lines;
}

export function filesBelow(folder: string): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }));
}

/** @param places what was written, by where */
export function expectNoSecret(
  places: Readonly<Record<string, readonly string[]>>,
  secrets: Iterable<string>,
): void {
  for (const [place, texts] of Object.entries(places))
    for (const text of texts)
      for (const one of secrets)
        if (text.includes(one)) expect.fail(`${place} contains ${one}: ${text.slice(0, 600)}`);
}
