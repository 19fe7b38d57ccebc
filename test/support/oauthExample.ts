import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import { freePort } from './everything.ts';
import { packedFolder } from './packed.ts';
import { servePegboard } from './serve.ts';
import type { Pegboard } from './serve.ts';
import { ROOT } from './sources.ts';
import { until } from './until.ts';

const exampleAt = (path: string): string => join(packedFolder(), 'examples/oauth', path);

export interface OAuthExample {
  readonly pegboard: Pegboard;
  /** The issuer of its identity provider. */
  readonly issuer: string;
  /** Where clients connect. */
  readonly endpoint: string;
}

/** examples/oauth as it is shipped, on free ports: its provider.mjs, its notes.mjs and Pegboard as processes.
 *  @param server more of `aggregator.oauth.server` */
export async function startOAuthExample(
  server: Readonly<Record<string, unknown>> = {},
): Promise<OAuthExample> {
  const [port, providerPort, notesPort] = [await freePort(), await freePort(), await freePort()];
  const [base, issuer] = [`http://localhost:${port}`, `http://localhost:${providerPort}`];
  const directory = makeDirectory();
  cpSync(exampleAt('mcpservers'), directory.at('mcpservers'), { recursive: true });
  const notes = readFileSync(directory.at('mcpservers/notes.yaml'), 'utf8');
  directory.write('mcpservers/notes.yaml', notes.replace('localhost:9091', `localhost:${notesPort}`));
  const text = readFileSync(exampleAt('config.yaml'), 'utf8')
    .replaceAll('localhost:8090', `localhost:${port}`)
    .replaceAll('localhost:9090', `localhost:${providerPort}`);
  const config = parse(text) as { aggregator: { oauth: { server: object } } };
  Object.assign(config.aggregator.oauth.server, server);
  directory.write('config.yaml', stringify(config));
  const secret = ['--secret-file', directory.at('state/client-secret')];
  await startProgram('provider.mjs', {
    args: ['--port', String(providerPort), '--gateway', base, ...secret],
    says: `identity provider: ${issuer}`,
  });
  await startProgram('notes.mjs', {
    args: ['--port', String(notesPort), '--issuer', issuer],
    says: 'notes: ',
  });
  const pegboard = await servePegboard(directory.path, ['--port', String(port)]);
  await pegboard.logged('identity provider found');
  return { pegboard, issuer, endpoint: `${base}/mcp` };
}

/** Runs until the test is over. */
async function startProgram(
  file: string,
  { args, says }: { readonly args: readonly string[]; readonly says: string },
): Promise<void> {
  const program = spawn(process.execPath, [exampleAt(file), ...args], { cwd: ROOT });
  const ended = once(program, 'close');
  defer(() => {
    program.kill();
    return ended;
  });
  let output = '';
  for (const stream of [program.stdout, program.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await until(() => output.includes(says), { what: `${file} of examples/oauth` });
}
