import type { Reply } from 'pegboard';

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

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;color:#1a1f26;background:#f3f4f6;margin:0;display:grid;place-items:center;min-height:100vh}
main{background:#fff;border:1px solid #d6dae0;border-radius:12px;padding:32px;max-width:440px;margin:16px;overflow-wrap:anywhere}
h1{font-size:20px;margin:0 0 16px}dt{color:#5a6472;font-size:14px}dd{margin:0 0 12px}
button,a.button{font:inherit;border-radius:8px;padding:8px 20px;border:1px solid #1f4fd8;background:#1f4fd8;color:#fff;text-decoration:none;cursor:pointer}
button.quiet{background:#fff;color:#1a1f26;border-color:#b6bdc8;margin-left:8px}
@media(prefers-color-scheme:dark){body{background:#12161c;color:#e6e9ee}main{background:#1b2129;border-color:#333c48}dt{color:#9aa5b4}button.quiet{background:#1b2129;color:#e6e9ee;border-color:#4a5563}}`;

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
        <title>${title}</title>
        <style>
          ${new Html(STYLE)}
        </style>
        ${head}
      </head>
      <body>
        <main>
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
