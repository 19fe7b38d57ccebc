import { existsSync } from 'node:fs';

/** A file shipped in the package outside its code; the code is one file per module in build/ and bundled in dist/.
 *  @param path from the root of the package, for example `schemas/config/http.schema.json` */
export function packageFile(path: string): URL {
  let at = new URL('.', import.meta.url);
  // Above the root, also that of a drive, is the root.
  while (!existsSync(new URL(path, at)) && !/^\/(\w:\/)?$/.test(at.pathname)) at = new URL('..', at);
  return new URL(path, at);
}
