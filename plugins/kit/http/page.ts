import type { Reply } from 'pegboard';
import { LOOK } from './look.ts';

const ENTITY: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is part of a page already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Part = string | Html | readonly Html[] | undefined;

/** A template tag that escapes every value, unless html made it. */
export function html(texts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(texts.reduce((before, text, at) => before + escaped(values[at - 1]) + text));
}

function escaped(value: Part): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'string'
    ? value.replaceAll(/[&<>"']/g, (sign) => ENTITY[sign] ?? '')
    : value.map(escaped).join('');
}

/** One card in the middle; buttons are what a person came for, quiet ones are not. */
const STYLE = `body{font-size:16px;display:grid;place-items:center;min-height:100vh;padding:16px}
main{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:32px;width:100%;max-width:460px}
h1{font-size:22px}dt{font-size:14px}dd{margin:0 0 12px}ul{margin:0;padding-left:20px}
button,.button{font-size:16px;padding:8px 20px;margin:4px 8px 4px 0;border-color:var(--accent);background:var(--accent);color:var(--on-accent)}
button:hover,.button:hover{background:var(--accent);filter:brightness(1.1)}
button.quiet{border-color:var(--quiet);background:var(--card);color:var(--text)}
.brand{color:var(--quiet);font-size:14px;font-weight:600;margin:0 0 4px}
form>p{margin-bottom:18px}
.note{color:var(--quiet);font-size:14px}
form>.note{margin:-4px 0 8px}main>:last-child,form>:last-child{margin-bottom:0}
@media(max-width:480px){main{padding:24px 20px}}`;

/** A page that loads nothing and works without JavaScript. @param head more elements of the head */
export function page(
  title: string,
  body: Html,
  { status = 200, head }: { status?: number; head?: Html } = {},
): Reply {
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>
          ${new Html(LOOK + STYLE)}
        </style>
        ${head}
      </head>
      <body>
        <main>
          <p class="brand">Pegboard</p>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.text;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // With no-referrer, browsers submit a page's form with `Origin: null`, which is refused.
      'referrer-policy': 'same-origin',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    },
    body: text,
  };
}
