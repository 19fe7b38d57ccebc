/** The texts of `Warning: 299 - "…"` headers. Source: RFC 9111 §5.5, RFC 7234 §5.5 */
export function warningsIn(header: string | readonly string[] | undefined): readonly string[] {
  const lines = header === undefined ? '' : [header].flat().join(', ');
  return [...lines.matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll(/\\(.)/g, '$1'),
  );
}
