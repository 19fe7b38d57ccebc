import { GatewayError } from 'pegboard';

/** The server of the older transport announces a url of another origin. Headers may hold credentials: they go to the configured one only. */
export function otherOrigin(
  target: URL | undefined,
  base: URL,
  redact: (text: string) => string,
): GatewayError {
  const place = target === undefined ? 'a url that cannot be read' : redact(target.origin);
  const why = `the server asks for messages at another origin, ${place}; they are sent to ${base.origin} only`;
  const fix =
    'set url to the origin that it announces, or let the proxy before it tell it its public address';
  return new GatewayError('UPSTREAM_PROTOCOL', `${why}; ${fix}`);
}

/** Names the path that the server has announced for messages: behind a prefix it may be wrong. Its query is the session. */
export function atMessagePath(
  { code, message, details }: GatewayError,
  path: string,
  redact: (text: string) => string,
): GatewayError {
  const [place = ''] = path.split('?');
  const { status } = details;
  const fix = status === 404 || status === 405 ? '; set messageUrl if its path is another one' : '';
  return new GatewayError(code, `${message} (at ${redact(place)}, which it announced for messages)${fix}`, {
    details,
  });
}
