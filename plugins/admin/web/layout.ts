import { VERSION } from 'pegboard';
import { Html, html } from '../../kit/http/page.ts';
import type { Page, Shown, Visitor } from './definePage.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import { sentence, shown } from '../../kit/pages/words.ts';

export interface LayoutParts {
  readonly pages: readonly Page[];
  /** Path of the request: marks the entry of the navigation that it belongs to. */
  readonly path: string;
  /** Whether the page may read itself again. */
  readonly isLive: boolean;
  /** What the action before this page has done. */
  readonly notice?: string | undefined;
  readonly visitor?: Visitor | undefined;
  /** Whether it is shown to who has to sign in for a page. */
  readonly asksSignIn?: boolean;
  readonly query?: URLSearchParams;
}

export const SIGN_OUT = '/sign-out';

/** The script in two parts, since what takes types out of sources for tests would wrap a template with the whole end tag. */
const LIVE = html`<script type="module" src="/live.js"></${'script'}>`;

/** Where everything is found. */
const SEARCH = '/search';
/** The link says not where it comes from, for the reason that `Entrance.beforeSignIn` gives. */
const SIGN_IN = html`<a class="button" rel="noreferrer" href="/">Sign in</a>`;

/** A whole page. */
export function layout({ title, body }: Shown, parts: LayoutParts): Html {
  const { pages, path, isLive, notice, visitor, asksSignIn = false, query } = parts;
  const now = new Date().toISOString();
  const entries = listed(pages);
  const current = entries.findLast((entry) => path === entry.path || path.startsWith(`${entry.path}/`));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Pegboard</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/style.css" />
        ${isLive ? LIVE : undefined}
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <a class="brand" href="${homeOf(pages)}">Pegboard</a>
          ${pages.some((page) => page.path === SEARCH) ? searchForm(path === SEARCH ? (query?.get('q') ?? '') : '') : undefined}
          <nav aria-label="Pages">
            <ul>
              ${entries.map(({ nav, path: href }) => entryOf(nav ?? '', href, href === current?.path))}
            </ul>
          </nav>
          ${visitor && visitorBar(visitor)} ${asksSignIn ? SIGN_IN : undefined}
        </header>
        <main id="main" tabindex="-1">
          <h1>${title}</h1>
          ${notice === undefined ? undefined : html`<p class="notice" role="status">${sentence(notice)}</p>`}
          ${new Html(body.text)}
        </main>
        <footer>
          <p>
            Pegboard ${VERSION} · <span id="live">as of</span>
            <time datetime="${now}">${now.slice(0, 19).replace('T', ' ')} UTC</time>
          </p>
        </footer>
      </body>
    </html> `;
}

/** Where a person begins: the overview is for who operates. */
export function homeOf(pages: readonly Page[]): string {
  return pages.length === 0 || pages.some(({ path }) => path === '/') ? '/' : '/sessions';
}

function searchForm(word: string): Html {
  const words = 'Servers, tools, runs, sessions and settings';
  return html`<form method="get" action="${SEARCH}" role="search" aria-label="${words}" class="find">
    <label for="find" class="spoken">${words}</label>
    <input
      id="find"
      name="q"
      type="search"
      value="${word}"
      placeholder="Search everything"
      autocomplete="off"
    />
    <button>Search</button>
  </form>`;
}

function visitorBar(visitor: Visitor): Html {
  return html`<div class="row visitor">
    <span>${shown(visitor.shown, 60)} <span class="quiet">may ${visitor.authority}</span></span>
    ${actionForm(visitor, { action: SIGN_OUT, label: 'Sign out' })}
  </div>`;
}

/** Those of the navigation, in its order. */
function listed(pages: readonly Page[]): readonly Page[] {
  const entries: Page[] = [];
  for (const page of pages.filter(({ nav }) => nav !== undefined)) {
    const before = entries.findIndex(({ path }) => path === page.navAfter);
    entries.splice(before === -1 ? entries.length : before + 1, 0, page);
  }
  return entries;
}

function entryOf(name: string, href: string, isCurrent: boolean): Html {
  if (isCurrent) return html`<li><a href="${href}" aria-current="page">${name}</a></li>`;
  return html`<li><a href="${href}">${name}</a></li>`;
}
