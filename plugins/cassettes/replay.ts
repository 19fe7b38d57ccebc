#!/usr/bin/env node
import { createInterface } from 'node:readline';

// First of all, because without listeners SIGUSR1 opens Node's debugger to every local program, and SIGUSR2 ends the process.
process.on('SIGUSR1', () => undefined).on('SIGUSR2', () => undefined);
const { CassetteFault, readRecording } = await import('./recording.ts');
const { replayServer } = await import('./replayServer.ts');

const USAGE = `pegboard-replay: an MCP server over stdio that answers as a recorded one did

Usage
  pegboard-replay CASSETTE    serve a cassette of the plugin cassettes until standard input ends
  pegboard-replay --help

Exit codes
  0 done   1 the cassette is missing or broken   64 usage
`;
const EXIT = { done: 0, cassette: 1, usage: 64 } as const;

async function main([file, ...rest]: readonly string[]): Promise<number> {
  if (file === '--help' || file === '-h') {
    process.stdout.write(USAGE);
    return EXIT.done;
  }
  if (file === undefined || file.startsWith('-') || rest.length > 0) {
    complain(`which cassette? one file is expected\n\n${USAGE}`);
    return EXIT.usage;
  }
  const recording = readRecording(file);
  const { server, cutOff } = recording;
  if (cutOff !== undefined) complain(`${cutOff}: was cut off while it was written and is left out\n`);
  complain(`replaying server ${server}\n`);
  const respond = replayServer(recording);
  // The reader of standard output has closed it.
  process.stdout.on('error', () => process.exit(EXIT.done));
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = line.trim() === '' ? undefined : respond(line);
    if (answer !== undefined) process.stdout.write(`${answer}\n`);
  }
  return EXIT.done;
}

function complain(text: string): void {
  process.stderr.write(`pegboard-replay: ${text}`);
}

function report(error: unknown): number {
  if (!(error instanceof CassetteFault)) throw error;
  complain(`${error.message}\n`);
  return EXIT.cassette;
}

process.exitCode = await main(process.argv.slice(2)).catch(report);
