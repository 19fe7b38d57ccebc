import type { RequestFacts } from 'pegboard';

/** The content type of the body in lower case, without parameters; empty without the header. */
export function mediaTypeOf(request: Pick<RequestFacts, 'header'>): string {
  const [type = ''] = (request.header('content-type') ?? '').split(';', 1);
  return type.trim().toLowerCase();
}
