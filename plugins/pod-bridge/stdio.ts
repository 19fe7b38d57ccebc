import { readFileSync } from 'node:fs';
import { GatewayError, messageOf } from 'pegboard';
import type { Command } from 'pegboard';
import { SHARED_KEY_BYTES } from '../kit/tls/sharedKey.ts';
import { copyRuntime } from './copyRuntime.ts';
import { Listeners } from './listeners.ts';

interface Flags {
  readonly listen: string;
  readonly health?: string;
  readonly keyFile?: string;
  readonly sessions: string;
  readonly drain: string;
  readonly install?: string;
}

export const stdio: Command = {
  name: 'stdio',
  summary: 'serve a stdio server over streamable HTTP to the gateway that has its key',
  parameters: [{ name: '[command...]', description: 'the server, behind --' }],
  options: [
    {
      flags: '--listen <address>',
      description: 'host:port of the bridge; port 0 takes a free one',
      default: '127.0.0.1:8443',
    },
    {
      flags: '--health <address>',
      description: 'host:port that answers GET /health to anyone; none without',
    },
    { flags: '--key-file <path>', description: 'the key of the bridge: 64 hexadecimal digits' },
    { flags: '--sessions <n>', description: 'sessions at a time, each with a process', default: '21' },
    { flags: '--drain <seconds>', description: 'how long SIGTERM waits for running calls', default: '10' },
    { flags: '--install <folder>', description: 'copy Node.js and Pegboard there, and end' },
  ],
  examples: [
    'pegboard stdio --key-file /pegboard-key/key -- npx -y @modelcontextprotocol/server-everything',
    'pegboard stdio --install /pegboard',
  ],
  run: async ({ args, options, cancel, terminal }) => {
    const { listen, health, keyFile, sessions, drain, install } = options as unknown as Flags;
    if (install !== undefined) {
      await copyRuntime(install);
      return 0;
    }
    if (args.length === 0) throw wrong('name the command of the server behind --');
    if (keyFile === undefined) throw wrong('name the file of the key with --key-file');
    const listeners = new Listeners({
      command: args,
      key: keyIn(keyFile),
      maxSessions: numberIn('--sessions', sessions),
      drainMs: numberIn('--drain', drain) * 1_000,
      say: (line) => terminal.err(`${line}\n`),
    });
    const places = await listeners.open(placeIn('--listen', listen), health && placeIn('--health', health));
    terminal.err(`pegboard stdio: listening on ${places.join(', ')}\n`);
    await new Promise<void>((resolve) => cancel.onCancel(() => resolve()));
    await listeners.close();
    return 0;
  },
};

function keyIn(path: string): Buffer {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw wrong(`--key-file cannot be read: ${messageOf(error)}`);
  }
  if (text.length !== 2 * SHARED_KEY_BYTES || !/^[0-9a-f]+$/.test(text))
    throw wrong('--key-file must hold 64 hexadecimal digits');
  return Buffer.from(text, 'hex');
}

function numberIn(flag: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) > 0) return Number(text);
  throw wrong(`${flag} must be a number from 1 to 99999`);
}

function placeIn(flag: string, text: string): { readonly host: string; readonly port: number } {
  const at = text.lastIndexOf(':');
  const host = text.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  const port = text.slice(at + 1);
  if (host !== '' && /^\d{1,5}$/.test(port) && Number(port) < 65_536) return { host, port: Number(port) };
  throw wrong(`${flag} must be host:port`);
}

function wrong(text: string): GatewayError {
  return new GatewayError('CONFIG_INVALID', text);
}
