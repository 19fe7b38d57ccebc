import type { Trust } from 'pegboard/net';
import { tlsTrusts } from './tlsTrust.ts';
import type { TlsParts } from './tlsTrust.ts';

/** `trust` of guardedFetch. Files are read again when they have changed. */
export function fetchTrust(parts: TlsParts): () => Trust {
  const trust = tlsTrusts(parts)();
  return () => {
    const secureContext = trust();
    return { ...(secureContext && { secureContext }) };
  };
}
