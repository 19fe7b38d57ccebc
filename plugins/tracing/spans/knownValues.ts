import { hash } from 'node:crypto';
import type { Attributes } from '@opentelemetry/api';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';

const MAX_KNOWN = 1_000;

/** Values of attributes that many spans share; each is computed once. */
export class KnownValues {
  readonly #digests = recentlyUsed<string>(MAX_KNOWN);
  readonly #places = recentlyUsed<Attributes>(MAX_KNOWN);

  /** The same digest as in the audit trail: the id itself would let its readers look for the session elsewhere. */
  sessionDigest(id: string): string {
    const known = this.#digests.get(id);
    if (known !== undefined) return known;
    const digest = hash('sha256', id, 'hex');
    this.#digests.set(id, digest);
    return digest;
  }

  /** Host and port; empty for a url that cannot be read, because it consists of references. */
  placeOf(url: string): Attributes {
    const known = this.#places.get(url);
    if (known !== undefined) return known;
    const place = URL.canParse(url) ? placeIn(new URL(url)) : {};
    this.#places.set(url, place);
    return place;
  }
}

function placeIn({ hostname, port, protocol }: URL): Attributes {
  return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) };
}
