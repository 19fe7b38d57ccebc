import { waitAtMost } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { LineSplitter } from '../../kit/text/lineSplitter.ts';
import { endpointOf } from '../endpointOf.ts';
import type { Failure } from '../failure.ts';
import { Bridge } from './bridge.ts';

const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Answers that are nearly there still reach a script that has closed its end. */
const LAST_ANSWERS_MS = 1_000;
const NOT_JSON = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'not JSON, or over 64 MiB' } };

/** MCP on standard input and output, one message a line, for a client that knows no other transport.
 *  @returns the exit code at the end of input or after SIGTERM @throws Failure if a sign-in is needed */
export async function runBridge(invocation: Invocation): Promise<number> {
  const { terminal, cancel } = invocation;
  const endpoint = await endpointOf(invocation);
  const write = (message: JsonObject): void => terminal.out(`${JSON.stringify(message)}\n`);
  let fail: (failure: Failure) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  const onFailure = (failure: Failure): void => fail(failure);
  const bridge = new Bridge(invocation, endpoint, { write, onFailure, canSignIn: true });
  failed.catch(() => undefined);
  await bridge.start();
  const cancelled = new Promise<void>((resolve) => cancel.onCancel(() => resolve()));
  try {
    await Promise.race([
      failed,
      cancelled,
      readLines(terminal.input, bridge, write).then(() => lastAnswers(bridge, cancelled)),
    ]);
  } finally {
    terminal.input.pause();
    await bridge.close('the bridge has ended');
  }
  return 0;
}

function readLines(
  input: NodeJS.ReadableStream,
  bridge: Bridge,
  write: (message: JsonObject) => void,
): Promise<void> {
  const take = (line: string): void => {
    if (line.trim() !== '') receive(line, bridge, write);
  };
  const lines = new LineSplitter(
    () => MAX_LINE_BYTES,
    take,
    () => write(NOT_JSON),
  );
  return new Promise((resolve) => {
    input.on('data', (chunk: Buffer) => lines.push(chunk));
    input.once('error', () => resolve());
    input.once('end', () => {
      lines.end();
      resolve();
    });
  });
}

function receive(line: string, bridge: Bridge, write: (message: JsonObject) => void): void {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    write(NOT_JSON);
    return;
  }
  bridge.receive(message);
}

function lastAnswers(bridge: Bridge, cancelled: Promise<void>): Promise<void> {
  return waitAtMost(LAST_ANSWERS_MS, Promise.race([bridge.idle(), cancelled]));
}
