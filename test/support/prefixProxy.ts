import { createServer, request } from 'node:http';
import { listenLocally } from '../conformance/listen.ts';
import { defer } from './cleanup.ts';

/** A proxy at whose address all paths begin with `/team/tools`, which the server behind it does not see.
 *  @returns its address, with the prefix */
export async function startPrefixProxy(target: string): Promise<string> {
  const prefix = '/team/tools';
  const { hostname, port } = new URL(target);
  const proxy = createServer((req, res) => {
    const path = req.url ?? '';
    if (!path.startsWith(`${prefix}/`)) {
      res.writeHead(404).end('no route');
      return;
    }
    const { method, headers } = req;
    const onward = request({ hostname, port, method, headers, path: path.slice(prefix.length) }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    res.once('close', () => onward.destroy());
    req.pipe(onward);
  });
  const listening = await listenLocally(proxy);
  defer(() => listening.close());
  return listening.url + prefix;
}
