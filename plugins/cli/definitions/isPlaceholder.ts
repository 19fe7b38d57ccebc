/** What documents print where the reader's own value belongs. */
const ANYWHERE: readonly RegExp[] = [
  /^<[^<>]+>$/,
  /^\[[\w -]+\]$/,
  /^\{\{?[\w -]+\}?\}$/,
  /^your[ _-]/i,
  /^(?:insert|enter|replace|put|paste)[ _-].*(?:key|token|secret|password|here)/i,
  /[ _-](?:goes[ _-])?here$/i,
  /^(?:x{4,}|\*{4,}|…)$/i,
];
/** Only where a secret belongs. */
const FOR_SECRETS: readonly RegExp[] = [
  /^my[ _-]/i,
  /^(?:x{3,}|\*{3,}|\.{3,}|changeme|change[ _-]me|todo|placeholder|example|secret|token|password|api[ _-]?key)$/i,
  /(?:^|[_-])(?:x{3,}$|your[_-])|(?:\.{3}|…|\*{3})$/i,
];
/** In the middle of a text, only forms that are not used for anything else. */
const WITHIN =
  /\bYOUR_[A-Z0-9_]+\b|<(?:your|my)[ _-][^<>]*>|<[A-Z][A-Z0-9_]+>|(?<=:\/\/)your[-_][\w.-]+|\/(?:absolute\/)?path\/to\b[\w./-]*/gi;

/** Whether a text only marks the place of the reader's own value: `YOUR_API_KEY`, `<token>`, `sk-xxxx`. @param isSecret whether a secret belongs there */
export function isPlaceholder(text: string, isSecret: boolean): boolean {
  return [...ANYWHERE, ...(isSecret ? FOR_SECRETS : [])].some((form) => form.test(text.trim()));
}

/** The placeholders within texts. */
export function placeholdersWithin(texts: readonly string[]): readonly string[] {
  return [
    ...new Set(texts.flatMap((text) => (isPlaceholder(text, false) ? [text] : (text.match(WITHIN) ?? [])))),
  ];
}
