import { GatewayError } from 'pegboard';
import { helpedBy, remedyOf } from '../../../kit/faults/remedy.ts';

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
  error: GatewayError,
  path: string,
  redact: (text: string) => string,
): GatewayError {
  const [place = ''] = path.split('?');
  const { code, message, details } = error;
  const { status } = details;
  if (status !== 404 && status !== 405) {
    const text = `${message} (at ${redact(place)}, which it announced for messages)`;
    return new GatewayError(code, text, { details });
  }
  const text = `${remedyOf(error)?.cause ?? message} (at ${redact(place)}, which it announced for messages)`;
  return helpedBy({ do: 'edit', what: 'set messageUrl if its path is another one' }, code, text, details);
}
