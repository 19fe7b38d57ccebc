/** Where the way to the proxy and the program that leads there are inside. */
const FOLDER = '/run/pegboard';
const SOCKET = `${FOLDER}/proxy`;
const NODE = `${FOLDER}/node`;
/** The port of the sandbox's own loopback. */
const PORT = 3_128;
const PROXY = `http://127.0.0.1:${PORT}`;

/** What programs find the proxy by. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'npm_config_proxy', 'npm_config_https_proxy']
      .flatMap((name) => [name, ...(name.endsWith('Y') ? [name.toLowerCase()] : [])])
      .map((name) => [name, PROXY]),
  ),
  NO_PROXY: 'localhost,127.0.0.1,::1',
  no_proxy: 'localhost,127.0.0.1,::1',
  NODE_USE_ENV_PROXY: '1',
};

/** Runs inside, with the rights of the server, which gains nothing by changing it. SIGTERM is for the server. */
const RELAY = `
const { closeSync, openSync, writeSync } = require('node:fs');
const { connect, createServer } = require('node:net');
process.on('SIGTERM', () => {});
const server = createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ path: '${SOCKET}', allowHalfOpen: true });
  for (const [one, other] of [[near, far], [far, near]])
    one.on('error', () => {}).on('close', () => other.destroySoon()).pipe(other);
});
server.listen(${PORT}, '127.0.0.1', () => {
  writeSync(1, 'on');
  closeSync(1);
  openSync('/dev/null'); // A socket with the number 1 would end it.
});
`;

/** Starts the relay as no child of the server's, which could be waiting for all of its own. */
const BEGIN = `
relay=$1; shift
on=$(/usr/bin/env -i ${NODE} --v8-pool-size=0 -e "$relay" </dev/null &)
[ "$on" = on ] || { echo 'isolate: the way to its hosts cannot be opened inside' >&2; exit 1; }
exec "$@"
`;

/** Words of bwrap that show a proxy's socket and the program of the relay. */
export function relayMounts(socket: string): readonly string[] {
  return ['--ro-bind', process.execPath, NODE, '--ro-bind', socket, SOCKET];
}

/** The words of a command that runs another one once the relay listens. */
export function relayWords(): readonly string[] {
  return ['/bin/sh', '-c', BEGIN, 'sh', RELAY];
}
