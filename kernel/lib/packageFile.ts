import { existsSync } from 'node:fs';

/** A file shipped in the package outside its code; the code is one file per module in build/ and bundled in dist/.
 *  @param path from the root of the package, for example `schemas/config/http.schema.json` */
export function packageFile(path: string): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL(path, folder)) && folder.pathname !== '/') folder = new URL('..', folder);
  return new URL(path, folder);
}
