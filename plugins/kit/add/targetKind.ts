/** What a word of a line names, judged by its form alone. */
export type TargetKind =
  | 'url'
  /** An install link of a client. */
  | 'link'
  | 'json'
  | 'file'
  /** A whole command line in one word. */
  | 'line'
  /** An address that nothing here reads. */
  | 'scheme'
  | 'npm'
  | 'pypi'
  | 'image'
  /** A program that fetches or interprets what it runs. */
  | 'runner'
  | 'word';

const FORMS: readonly (readonly [TargetKind, RegExp])[] = [
  ['json', /^\s*[{[]|^\s*"[^"]*"\s*:/],
  ['link', /^(?:cursor|vscode(?:-insiders)?|lmstudio|goose|kiro|raycast|cherrystudio):/i],
  [
    'link',
    /^https?:\/\/(?:[\w-]+\.)*(?:cursor\.com\/(?:[\w-]+\/)?(?:link\/mcp\/install|install-mcp)|vscode\.dev\/redirect|lmstudio\.ai\/install-mcp|block\.github\.io\/goose\/extension|kiro\.dev\/launch\/mcp\/add)\b/i,
  ],
  // Another client's link of the same form, and a connector of Claude.
  [
    'link',
    /^https?:\/\/[^?]*\b(?:install-mcp|mcp\/install|mcp\/add)\/?\?(?:.*&)?config=|^https?:.*[?&]mcpServerUrl=/i,
  ],
  [
    'file',
    /^(?!https?:).*(?:\.(?:json|jsonc|mcpb|dxt)|(?:^|\/)(?:smithery|catalog|compose|docker-compose)\.ya?ml)$/i,
  ],
  ['url', /^https?:\/\//i],
  ['line', /\s/],
  ['scheme', /^[a-z][a-z0-9+.-]*:(?:\/\/|mcp\/)/i],
  ['npm', /^(?:npm:.+|@[\w.-]+\/[\w.-]+(?:@[\w.^~-]+)?|[\w.-]+@(?:\d[\w.-]*|latest|next|beta))$/],
  ['pypi', /^(?:pypi:.+|[\w.-]+==[\w.]+)$/],
  [
    'image',
    /^(?:mcp\/|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?\/|localhost:\d+\/)[\w./-]+(?::[\w.-]+)?(?:@sha256:\w+)?$/,
  ],
  [
    'runner',
    /^(?:npx|bunx|pnpx|pnpm|yarn|npm|uvx|uv|pipx|docker|podman|node|deno|bun|python[\d.]*|dnx|dotnet|java|go|php|ruby|cmd|sh|bash|pwsh|env)$/,
  ],
];

export function targetKind(word: string): TargetKind {
  return FORMS.find(([, form]) => form.test(word))?.[0] ?? 'word';
}
