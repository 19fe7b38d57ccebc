import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import { freePort } from './everything.ts';
import { PACKED } from './packed.ts';
import { servePegboard } from './serve.ts';
import type { Pegboard } from './serve.ts';
import { ROOT } from './sources.ts';
import { until } from './until.ts';

const EXAMPLE = join(PACKED, 'examples/oauth');

export interface OAuthExample {
  readonly pegboard: Pegboard;
  /** The issuer of its identity provider. */
  readonly issuer: string;
  /** Where clients connect. */
  readonly endpoint: string;
}

/** examples/oauth as it is shipped, on free ports: its provider.mjs and Pegboard as processes.
 *  @param server more of `aggregator.oauth.server` */
export async function startOAuthExample(
  server: Readonly<Record<string, unknown>> = {},
): Promise<OAuthExample> {
  const [port, providerPort] = [await freePort(), await freePort()];
  const [base, issuer] = [`http://localhost:${port}`, `http://localhost:${providerPort}`];
  const directory = makeDirectory();
  cpSync(join(EXAMPLE, 'mcpservers'), directory.at('mcpservers'), { recursive: true });
  const text = readFileSync(join(EXAMPLE, 'config.yaml'), 'utf8')
    .replaceAll('localhost:8090', `localhost:${port}`)
    .replaceAll('localhost:9090', `localhost:${providerPort}`);
  const config = parse(text) as { aggregator: { oauth: { server: object } } };
  Object.assign(config.aggregator.oauth.server, server);
  directory.write('config.yaml', stringify(config));
  const ports = ['--port', String(providerPort), '--gateway', base];
  const provider = spawn(
    process.execPath,
    [join(EXAMPLE, 'provider.mjs'), ...ports, '--secret-file', directory.at('state/client-secret')],
    { cwd: ROOT },
  );
  const ended = once(provider, 'close');
  defer(() => {
    provider.kill();
    return ended;
  });
  let output = '';
  for (const stream of [provider.stdout, provider.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await until(() => output.includes(`identity provider: ${issuer}`), { what: 'the identity provider' });
  const pegboard = await servePegboard(directory.path, ['--port', String(port)]);
  await pegboard.logged('identity provider found');
  return { pegboard, issuer, endpoint: `${base}/mcp` };
}
