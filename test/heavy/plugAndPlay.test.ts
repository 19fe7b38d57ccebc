import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { mcpClient } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { certificates } from '../support/environment.ts';
import { freePort } from '../support/everything.ts';
import { tarball } from '../support/packed.ts';
import { install } from '../support/packages.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const YARN = '4.18.1';

describe("the package in a project of Yarn's Plug'n'Play", function () {
  this.timeout(300_000);
  let project: Directory;
  let yarn = '';
  let env: NodeJS.ProcessEnv = {};

  before(async function () {
    const tools = makeDirectory();
    try {
      await install(tools.path, [`@yarnpkg/cli-dist@${YARN}`]);
    } catch (error) {
      console.log(`      SKIPPED: Yarn ${YARN} cannot be installed: ${String(error).slice(0, 300)}`);
      this.skip();
    }
    yarn = join(tools.path, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js');
    const registry = (await run('npm', ['config', 'get', 'registry'])).stdout.trim();
    project = makeDirectory({
      'package.json': JSON.stringify({
        name: 'project',
        type: 'module',
        dependencies: { pegboard: tarball() },
      }),
      'yarn.lock': '',
      'plugin.mjs':
        "import { definePlugin } from 'pegboard';\nexport const plugin = definePlugin({ name: 'acme', api: 1, configSchema: {}, apply() {} });\n",
    });
    env = {
      ...process.env,
      ...certificates,
      YARN_ENABLE_TELEMETRY: '0',
      YARN_ENABLE_GLOBAL_CACHE: 'false',
      YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
      YARN_GLOBAL_FOLDER: tools.at('global'),
      YARN_NPM_REGISTRY_SERVER: registry,
    };
    await run(process.execPath, [yarn, 'install'], { cwd: project.path, env });
  });

  it('has no folder of modules, serves, keeps its vault, and loads a plugin of the project', async () => {
    expect(existsSync(project.at('.pnp.cjs'))).equal(true);
    expect(existsSync(project.at('node_modules'))).equal(false);
    const port = await freePort();
    project.write(
      'config.yaml',
      `aggregator: { port: ${port} }\nplugins: { acme: { module: ./plugin.mjs } }\n`,
    );
    const args = [
      yarn,
      'pegboard',
      'serve',
      '--config-path',
      project.path,
      '--state-path',
      project.at('state'),
    ];
    const gateway = spawn(process.execPath, args, { cwd: project.path, env, detached: true });
    let said = '';
    for (const stream of [gateway.stdout, gateway.stderr])
      stream.on('data', (data) => (said += String(data)));
    const ended = once(gateway, 'exit');
    defer(async () => {
      // Yarn passes no signal on, so its whole group is asked.
      if (gateway.exitCode === null && gateway.pid !== undefined) process.kill(-gateway.pid, 'SIGTERM');
      await ended;
    });
    const url = `http://127.0.0.1:${port}`;
    await until(
      async () => {
        if (gateway.exitCode !== null) throw new Error(said);
        return (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
      },
      { what: 'the gateway', withinMs: 60_000 },
    );
    const client = await mcpClient(url);
    const { content } = await client.callTool('list_core_tools', {});
    expect(JSON.stringify(content)).contain('core_service_list');
    expect(said).not.match(/did not start|Method not implemented/);
    expect(existsSync(project.at('state'))).equal(true);
  });
});
