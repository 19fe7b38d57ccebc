// Three gateways that act as one behind the balancer; one that ends is started again.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startBalancer } from './balancer.mjs';

const { values } = parseArgs({
  options: {
    'config-path': { type: 'string', default: import.meta.dirname },
    ports: { type: 'string', default: '8090,8091,8092,8093' },
  },
});
const PEGBOARD = fileURLToPath(new URL('../../dist/kernel/program/pegboard.js', import.meta.url));
const AGAIN_AFTER_MS = 500;
const directory = values['config-path'];
const [port, ...gatewayPorts] = values.ports.split(',').map(Number);
const running = new Map();
let isStopping = false;

function startGateway(gatewayPort) {
  const state = join(directory, 'state', String(gatewayPort));
  const args = ['serve', '--config-path', directory, '--state-path', state, '--port', String(gatewayPort)];
  const gateway = spawn(process.execPath, [PEGBOARD, ...args], {
    // All gateways need the same keys; the first one creates the file.
    env: { ...process.env, PEGBOARD_KEYS_FILE: join(directory, 'state', 'keys.json') },
    stdio: ['ignore', 'ignore', 'inherit'],
    // Ctrl-C would reach it twice.
    detached: true,
  });
  running.set(gatewayPort, gateway);
  console.log(`gateway ${gatewayPort} is process ${gateway.pid}`);
  gateway.once('exit', (code, signal) => {
    running.delete(gatewayPort);
    console.log(`gateway ${gatewayPort} ended (${signal ?? code})`);
    if (isStopping && running.size === 0) process.exit();
    if (!isStopping) setTimeout(() => isStopping || startGateway(gatewayPort), AGAIN_AFTER_MS);
  });
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    isStopping = true;
    for (const gateway of running.values()) gateway.kill();
    if (running.size === 0) process.exit();
  });
gatewayPorts.forEach(startGateway);
await startBalancer(port, gatewayPorts);
console.log(`ready: http://localhost:${port}/mcp`);
