import { GatewayError } from 'pegboard';

interface Routed {
  readonly path: string;
}
export interface RouteMatch<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

/** The routes whose pattern the path has: `/sessions/:id` matches `/sessions/a%20b` with `{ id: 'a b' }`.
 *  @throws GatewayError REQUEST_MALFORMED if a part of the path is not encoded properly */
export function matchRoutes<R extends Routed>(routes: readonly R[], path: string): readonly RouteMatch<R>[] {
  const parts = path.split('/').map(decoded);
  return routes.flatMap((route) => {
    const params = paramsOf(route.path.split('/'), parts);
    return params === undefined ? [] : [{ route, params }];
  });
}

function paramsOf(
  pattern: readonly string[],
  parts: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, wanted] of pattern.entries()) {
    const part = parts[at] ?? '';
    if (wanted.startsWith(':') && part !== '') params[wanted.slice(1)] = part;
    else if (wanted !== part) return undefined;
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new GatewayError('REQUEST_MALFORMED', 'the path has a % that is not followed by two hex digits');
  }
}
