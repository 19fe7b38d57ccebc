import type { Finding } from 'pegboard';
import type { SearchSemanticConfig } from './config.ts';

/** What the schema cannot say. */
export function configFindings({
  url,
  model,
  folder,
  allowPrivateIP,
}: SearchSemanticConfig): readonly Finding[] {
  if (url === undefined && folder !== undefined) return [];
  if (url === undefined)
    return [
      { path: [], message: 'url or folder is missing: write the address that makes embeddings, and model' },
    ];
  if (folder !== undefined)
    return [{ path: ['folder'], message: 'url and folder exclude each other; remove one' }];
  return [
    ...(model === undefined
      ? [{ path: [], message: 'url needs model: write the name of the model there' }]
      : []),
    ...addressFindings(url, allowPrivateIP),
  ];
}

/** @param url its references may be filled in, or not */
export function addressFindings(url: string, allowPrivateIP: boolean): readonly Finding[] {
  if (url.includes('${')) return [];
  const path = ['url'];
  if (!URL.canParse(url)) return [{ path, message: 'url is not an address' }];
  const { protocol, hostname, username } = new URL(url);
  if (username !== '') return [{ path, message: 'url must not have a user; write apiKey' }];
  if (protocol === 'https:') return [];
  if (!allowPrivateIP)
    return [
      { path, message: 'url must begin with https://; for a private address set allowPrivateIP: true' },
    ];
  if (['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return [];
  const message = 'url begins with http://: apiKey, queries and texts of tools can be read on the way';
  return [{ path, message, severity: 'warning' }];
}
