import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { EVERYTHING } from '../support/everything.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { tarball } from '../support/packed.ts';
import { install, link, pack } from '../support/packages.ts';
import { servePegboard } from '../support/serve.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

/** A consumer of the packages' types: declarations of the plugins are visible, and nothing else. */
const CONSUMER = `
import { Budget } from 'pegboard-budget/contract';
import { isGatewayError } from 'pegboard';
import type { ErrorCode, GatewayError, KernelEvent, Scope } from 'pegboard';
import { ResourceStore, Vault } from 'pegboard/contracts';
import { guardedFetch } from 'pegboard/net';
import { vaultContract } from 'pegboard/testing';

export const get = guardedFetch({ allowPrivate: false, timeoutMs: 1_000, maxBytes: 1_000 });
export const tokens = [Budget, ResourceStore, Vault, vaultContract, isGatewayError];
export const code: ErrorCode = 'BUDGET_UNKNOWN';
// @ts-expect-error: no plugin declares it
export const wrong: ErrorCode = 'BUDGET_GONE';

export function limitOf(error: GatewayError): number | undefined {
  return error.code === 'BUDGET_SPENT' ? error.details.limit : error.details.retryAfter;
}
export function serverOf(event: KernelEvent): string | undefined {
  return event.type === 'server.connected' ? event.server : undefined;
}
export function say(scope: Scope<unknown>): void {
  scope.emit({ type: 'budget.spent', key: 'me', limit: 3 });
  // @ts-expect-error: a fact is missing
  scope.emit({ type: 'budget.spent', key: 'me' });
}
`;

describe('e2e: a pair of plugins joined by a contract', function () {
  this.timeout(180_000);
  let folder: Directory;

  before(async () => {
    folder = makeDirectory({ 'package.json': '{ "type": "module" }' });
    await install(folder.path, [tarball()]);
    // The guard is compiled against the other plugin as it will be installed.
    link(folder.at('plugin-budget'), folder.at('node_modules/pegboard-budget'));
    const tarballs: string[] = [];
    for (const name of ['plugin-budget', 'plugin-budget-guard']) {
      cpSync(join(ROOT, 'examples', name), folder.at(name), { recursive: true });
      await compile(folder, name);
      tarballs.push(await pack(folder.at(name), folder.path));
    }
    await install(folder.path, tarballs);
  });

  it('type-checks beside the packed gateway, declarations of all packages included', async () => {
    const compilerOptions = {
      module: 'NodeNext',
      target: 'ES2023',
      types: ['node', 'mocha'],
      strict: true,
      skipLibCheck: false,
      noEmit: true,
    };
    folder.write('consumer.ts', CONSUMER);
    folder.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    await compile(folder, '.');
  });

  it('runs together: the guard spends, the other plugin keeps the account, emits the event and shows the balance', async () => {
    folder.write(
      'mcpservers/everything.yaml',
      JSON.stringify({ type: 'stdio', command: [process.execPath, EVERYTHING, 'stdio'], autoStart: true }),
    );
    const plugins = {
      budget: { module: 'pegboard-budget', config: { callsPerDay: 2 } },
      'budget-guard': { module: 'pegboard-budget-guard' },
    };
    folder.write('config.yaml', JSON.stringify({ plugins }));
    const pegboard = await servePegboard(folder.path, [], {
      main: folder.at('node_modules/pegboard/dist/kernel/program/pegboard.js'),
    });
    const client = await McpClient.connect(pegboard.url);
    const echo = () => client.callTool('x_everything_echo', { message: 'hello' });
    const left = async (): Promise<unknown> =>
      (await client.callTool('core_budget_get', { key: 'anonymous' })).structuredContent;

    expect(textOf(await client.callTool('core_budget_get', { key: 'anonymous' }))).contain(
      'no call was made today',
    );
    await until(async () => textOf(await client.callMeta('list_tools')).includes('x_everything_echo'));
    for (const rest of [1, 0]) {
      expect(textOf(await echo())).equal('Echo: hello');
      expect(await left()).deep.equal({ key: 'anonymous', limit: 2, left: rest });
    }
    const refused = await echo();
    expect(refused.isError).equal(true);
    expect(refused).nested.property('_meta.pegboard\\.dev/error.code', 'BUDGET_SPENT');
    expect(textOf(refused)).match(/^the budget of 2 calls a day is spent; try again in \d+ s/);
    const logged = (text: string) => pegboard.lines.find((line) => line.text === text);
    expect(logged('budget of a caller is spent')).include({ key: 'anonymous', limit: 2 });
    expect(logged('call refused')).include({ tool: 'x_everything_echo', limit: 2 });
    expect(await pegboard.stop()).deep.equal({ code: 0, signal: null });
  });
});

/** @throws Error with the compiler's messages */
async function compile({ path, at }: Directory, project: string): Promise<void> {
  // Development dependencies of an author; npm install removes packages that it does not list.
  for (const name of ['@types/node', '@types/mocha'])
    link(join(ROOT, 'node_modules', name), at(`node_modules/${name}`));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', project], { cwd: path }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
}
