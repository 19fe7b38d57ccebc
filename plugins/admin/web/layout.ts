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
}

export const SIGN_OUT = '/sign-out';

/** The script in two parts, since what takes types out of sources for tests would wrap a template with the whole end tag. */
const LIVE = html`<script type="module" src="/live.js"></${'script'}>`;

/** A whole page. */
export function layout({ title, body }: Shown, { pages, path, isLive, notice, visitor }: LayoutParts): Html {
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
          <a class="brand" href="/">Pegboard</a>
          <nav aria-label="Pages">
            <ul>
              ${entries.map(({ nav, path: href }) => entryOf(nav ?? '', href, href === current?.path))}
            </ul>
          </nav>
          ${visitor && visitorBar(visitor)}
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

function visitorBar(visitor: Visitor): Html {
  return html`<div class="row visitor">
    <span>${shown(visitor.shown, 60)}</span>
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
