import type { RequestFacts } from 'pegboard';

/** The token of `Authorization: Bearer`, byte for byte. Source: RFC 6750 §2.1 */
export function bearerIn(request: Pick<RequestFacts, 'header'>): string | undefined {
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(request.header('authorization') ?? '')?.[1];
}
