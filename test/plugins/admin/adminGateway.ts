import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import type { Files } from '../../support/directory.ts';
import { send } from '../../support/rawHttp.ts';
import type { RawAnswer } from '../../support/rawHttp.ts';

export type Fields = Readonly<Record<string, string>>;

export interface AdminSite {
  readonly gateway: Gateway;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The page as a browser gets it. */
  get(path: string, headers?: Fields): Promise<RawAnswer>;
  /** The facts of a page. @throws Error unless it answers 200 */
  facts<T = JsonObject>(path: string): Promise<T>;
  /** As curl sends a form: without the headers of a browser. */
  post(path: string, fields?: Fields, headers?: Fields): Promise<RawAnswer>;
  /** As a browser submits the form of a page: with its headers and its token. */
  submit(path: string, fields?: Fields): Promise<RawAnswer>;
}

export interface AdminParts {
  readonly files?: Files;
  readonly admin?: JsonObject;
}

/** A whole gateway with the admin pages on a free port. */
export async function openAdmin({ files = {}, admin = {} }: AdminParts = {}): Promise<AdminSite> {
  const gateway = await bootGateway({
    builtIns: 'all',
    files,
    aggregator: { host: '127.0.0.1', port: 0, admin: { enabled: true, port: 0, ...admin } },
  });
  return siteAt(gateway);
}

/** The admin pages of a running gateway. */
export function siteAt(gateway: Gateway): AdminSite {
  const url = urlIn(gateway);
  const get = (path: string, headers: Fields = {}): Promise<RawAnswer> =>
    send(url, { path, headers: { accept: 'text/html', ...headers } });
  const post = (path: string, fields: Fields = {}, headers: Fields = {}): Promise<RawAnswer> =>
    send(url, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  return {
    gateway,
    url,
    get,
    post,
    facts: async <T>(path: string): Promise<T> => {
      const { status, text } = await get(path, { accept: 'application/json' });
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return JSON.parse(text) as T;
    },
    submit: async (path, fields = {}) => {
      const token = /name="token"\s+value="([^"]+)"/.exec((await get('/config')).text)?.[1] ?? '';
      return post(path, { token, ...fields }, { origin: url, 'sec-fetch-site': 'same-origin' });
    },
  };
}

/** The address that was logged last. */
export function urlIn({ log }: Gateway): string {
  const said = log.having('admin pages are served').at(-1)?.data['url'];
  return String(said).replace(/\/$/, '');
}
