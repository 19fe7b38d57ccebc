import { get } from 'node:http';
import { connect, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const CHECK_EVERY_MS = 200;
const CHECK_TIMEOUT_MS = 2_000;
const OPTIONS = { allowHalfOpen: true, noDelay: true };

/** A TCP balancer on `port`: each connection goes to the next gateway that is ready. Listens once all gateways are ready. */
export async function startBalancer(port, gatewayPorts) {
  const gateways = gatewayPorts.map((gatewayPort) => ({ port: gatewayPort, isReady: false }));
  let turn = 0;
  const inTurn = () => {
    const ready = gateways.filter(({ isReady }) => isReady);
    turn += 1;
    const at = turn % ready.length;
    return [...ready.slice(at), ...ready.slice(0, at)];
  };
  const server = createServer(OPTIONS, (client) => {
    client.on('error', () => client.destroy());
    pass(client, inTurn());
  });
  for (const gateway of gateways) void watch(gateway);
  while (!gateways.every((gateway) => gateway.isReady)) await setTimeout(CHECK_EVERY_MS);
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, 'localhost', resolve));
  return server;
}

async function watch(gateway) {
  for (;;) {
    gateway.isReady = await isReady(gateway);
    await setTimeout(CHECK_EVERY_MS, undefined, { ref: false });
  }
}

/** Connects a client to the first of these gateways that accepts the connection. */
function pass(client, [gateway, ...others]) {
  if (gateway === undefined || client.destroyed) {
    client.destroy();
    return;
  }
  const socket = connect({ port: gateway.port, host: 'localhost', ...OPTIONS });
  const retry = () => {
    gateway.isReady = false;
    pass(client, others);
  };
  socket.once('error', retry);
  socket.once('connect', () => {
    socket.off('error', retry).on('error', () => socket.destroy());
    // A connection that breaks on one side breaks on the other.
    client.once('close', () => socket.destroy());
    socket.once('close', () => client.destroy());
    client.pipe(socket).pipe(client);
  });
}

function isReady({ port }) {
  return new Promise((resolve) => {
    const request = get({ port, path: '/ready', agent: false, timeout: CHECK_TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(false));
  });
}
