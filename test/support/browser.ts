import { spawnSync } from 'node:child_process';
import type { Browser as Chromium } from 'playwright-core';
import { Agent, fetch as fetchBy } from 'undici';
import { defer } from './cleanup.ts';

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
export type Fields = Readonly<Record<string, string>>;
export type Browser = ReturnType<typeof newBrowser>;
export interface Cookie {
  readonly name: string;
  readonly host: string;
  readonly path: string;
  readonly value: string;
}

const MAX_REDIRECTS = 20;

/** A browser without JavaScript: keeps cookies by host and path, and follows redirects by hand.
 *  @param ca PEM of authorities that it trusts */
export function newBrowser(ca?: string) {
  const send = ca === undefined ? fetch : fetchTrusting(ca);
  let cookies: readonly Cookie[] = [];
  const keep = (line: string, { hostname, pathname }: URL): void => {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const attribute = (name: string): string | undefined =>
      attributes.find((one) => one.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
    const at = pair.indexOf('=');
    const name = pair.slice(0, at);
    const path = attribute('path') ?? pathname.replace(/\/[^/]*$/, '/');
    const isOver = attribute('max-age') === '0' || Date.parse(attribute('expires') ?? '') < Date.now();
    cookies = cookies.filter((one) => one.name !== name || one.host !== hostname || one.path !== path);
    if (!isOver) cookies = [...cookies, { name, host: hostname, path, value: pair.slice(at + 1) }];
  };
  const belongs =
    ({ hostname, pathname }: URL) =>
    ({ host, path }: Cookie): boolean =>
      host === hostname && `${pathname}/`.startsWith(path.endsWith('/') ? path : `${path}/`);
  const request = async (url: string, init: RequestInit = {}): Promise<Page> => {
    const sent = cookies.filter(belongs(new URL(url))).map(({ name, value }) => `${name}=${value}`);
    const headers = new Headers(init.headers);
    if (sent.length > 0) headers.set('cookie', sent.join('; '));
    const answer = await send(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) keep(line, new URL(url));
    return { url, status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const follow = async (first: Page, isEnd: (url: string) => boolean): Promise<Page> => {
    let page = first;
    for (let count = 0; count < MAX_REDIRECTS; count += 1) {
      const location = page.headers.get('location');
      if (page.status < 300 || page.status > 399 || location === null) return page;
      const url = new URL(location, page.url).href;
      if (isEnd(url)) return { ...page, url };
      page = await request(url);
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects, the last one from ${page.url}`);
  };
  const nowhere: (url: string) => boolean = () => false;
  return {
    /** Opens the address and follows redirects. `isEnd`: an address that is not opened any more, such as a client's callback;
     *  the page is then the redirect that leads there, with its address. */
    open: async (url: string, isEnd = nowhere) => follow(await request(url), isEnd),
    /** Submits the page's form: its hidden fields and these; its address decides whether the browser's cookies go along. */
    submit: async (page: Page, fields: Fields, isEnd = nowhere) => {
      const body = new URLSearchParams({ ...hiddenFields(page.text), ...fields });
      const url = new URL(formAction(page.text), page.url);
      const isHidden = page.headers.get('referrer-policy') === 'no-referrer';
      const headers = { origin: isHidden ? 'null' : new URL(page.url).origin };
      return follow(await request(url.href, { method: 'POST', body, headers }), isEnd);
    },
    /** One request, no redirect followed. */
    request,
    /** The cookies that would be sent to that address. */
    cookiesFor: (url: string): readonly Cookie[] => cookies.filter(belongs(new URL(url))),
    setCookie: (url: string, line: string): void => keep(line, new URL(url)),
    /** Forgets the cookies of that host, or all. */
    forget: (host?: string): void => {
      cookies = cookies.filter((one) => host !== undefined && one.host !== host);
    },
  };
}

/** Node's own fetch can be given no authorities. */
function fetchTrusting(ca: string): (url: string, init: RequestInit) => Promise<Response> {
  const dispatcher = new Agent({ connect: { ca } });
  defer(() => dispatcher.destroy());
  return async (url, init) => {
    const answer: unknown = await fetchBy(url, { ...init, dispatcher } as Parameters<typeof fetchBy>[1]);
    return answer as Response;
  };
}

export interface SignIn {
  /** Keeps its cookies for later. Default: a new one. */
  readonly browser?: Browser;
  /** Where it ends: such as a client's redirect URI. */
  readonly until: (url: string) => boolean;
  /** What a person enters on a page that is not a redirect; undefined ends there. */
  readonly fill?: (page: Page) => Fields | undefined;
}

/** Goes from that address to the end of a sign-in. @returns the last address, not opened @throws Error that shows the page
 *  where it ended instead */
export async function signIn(url: string, { browser = newBrowser(), until, fill }: SignIn): Promise<URL> {
  let page = await browser.open(url, until);
  while (!until(page.url)) {
    const fields = fill?.(page);
    if (fields === undefined) throw new Error(`ended at ${page.url} (${page.status}): ${page.text}`);
    page = await browser.submit(page, fields, until);
  }
  return new URL(page.url);
}

function formAction(html: string): string {
  const [form] = /<form\b[^>]*>/.exec(html) ?? [];
  if (form === undefined) throw new Error(`no form: ${html}`);
  return attributeOf(form, 'action') ?? '';
}
function hiddenFields(html: string): Fields {
  const inputs = [...html.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag);
  const hidden = inputs.filter((tag) => attributeOf(tag, 'type') === 'hidden');
  return Object.fromEntries(
    hidden.map((tag) => [attributeOf(tag, 'name') ?? '', attributeOf(tag, 'value') ?? ''] as const),
  );
}
function attributeOf(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  const characters: Record<string, string> = { amp: '&', quot: '"', '#39': "'", lt: '<', gt: '>' };
  return value?.replace(/&(amp|quot|#39|lt|gt);/g, (_, entity: string) => characters[entity]!);
}

const lookup = spawnSync('sh', ['-c', 'command -v "${CHROMIUM_PATH:-chromium}"'], { encoding: 'utf8' });
export const HAS_CHROMIUM = lookup.status === 0;
/** What to type where it is missing. */
export const NO_CHROMIUM =
  'SKIPPED: no chromium here; install it with: apt-get install chromium (or set CHROMIUM_PATH)';

/** Skips the suite aloud where there is no Chromium. */
export function needChromium(suite: Mocha.Context): void {
  if (HAS_CHROMIUM) return;
  console.log(NO_CHROMIUM);
  suite.skip();
}

/** A real browser without a window, closed after the test. */
export async function startChromium(): Promise<Chromium> {
  // Loading it takes half a second of CPU, and most tests need only the browser above.
  const { chromium } = await import('playwright-core');
  // Containers run as root, where Chromium's sandbox does not start.
  const browser = await chromium.launch({ executablePath: lookup.stdout.trim(), args: ['--no-sandbox'] });
  defer(() => browser.close());
  return browser;
}
