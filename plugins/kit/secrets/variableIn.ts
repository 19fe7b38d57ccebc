/** The variable of `${env:NAME:-default}`. @param target what follows `env:` */
export function variableIn(target: string): { readonly name: string; readonly fallback?: string } {
  const at = target.indexOf(':-', 1);
  return at < 0 ? { name: target } : { name: target.slice(0, at), fallback: target.slice(at + 2) };
}
