import { createServer } from 'node:https';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ANYONE } from '../../../kernel/index.ts';
import { CallerCredentials, GuardedServers } from '../../../plugins/contracts/credentials.ts';
import type { CallerCredential } from '../../../plugins/contracts/credentials.ts';
import { selfSigned } from '../../support/certificate.ts';
import { defer } from '../../support/cleanup.ts';
import { askCore } from '../../support/coreTools.ts';
import { makeDirectory } from '../../support/directory.ts';
import { bootGateway } from '../../support/gateway.ts';

const BUILT_INS = ['store-file', 'core-mcpservers', 'upstream', 'auth-client'];

/** An MCP server over https that requires a sign-in, on this machine. */
async function server(): Promise<{ readonly url: string; readonly certificate: string }> {
  const files = selfSigned('localhost');
  const keys = { cert: readFileSync(files.certificate), key: readFileSync(files.key) };
  const listener = createServer(keys, ({ url = '' }, res) => {
    if (url.startsWith('/.well-known')) res.writeHead(404).end();
    else res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  await new Promise<void>((resolve) => listener.listen(0, 'localhost', resolve));
  defer(() => {
    listener.closeAllConnections();
    return new Promise((resolve) => listener.close(resolve));
  });
  return {
    url: `https://localhost:${(listener.address() as AddressInfo).port}/mcp`,
    certificate: files.certificate,
  };
}

describe('plugins/auth-client: in a gateway', () => {
  it('runs by default, and is switched off and on while the gateway runs', async () => {
    const gateway = await bootGateway({ builtIns: 'all', aggregator: { port: 0 } });
    const running = (): boolean => gateway.kernel.registry.all('sign-in-finder').length === 1;
    expect(running()).equal(true);
    for (const isOn of [false, true]) {
      writeFileSync(gateway.directory.at('config.yaml'), `plugins: { auth-client: ${isOn} }\n`);
      await gateway.pipeline.reload();
      expect(running()).equal(isOn);
    }
  });

  it('lets callers sign in once oauth.mcpClient.enabled says so, while the gateway runs', async () => {
    const gateway = await bootGateway({ builtIns: 'all', aggregator: { port: 0 } });
    const provided = (): readonly number[] =>
      ['caller-credentials', 'sign-in-statuses', 'sign-in-finder'].map(
        (id) => gateway.kernel.registry.all(id).length,
      );
    expect(provided()).deep.equal([0, 0, 1]);
    for (const enabled of [true, false]) {
      const config = { aggregator: { oauth: { mcpClient: { enabled } } } };
      writeFileSync(gateway.directory.at('config.yaml'), JSON.stringify(config));
      await gateway.pipeline.reload();
      expect(provided()).deep.equal(enabled ? [1, 1, 1] : [0, 0, 1]);
    }
  });

  it('lets go of the credentials for a server that was removed', async () => {
    const notes = {
      apiVersion: 'pegboard.dev/v1alpha1',
      kind: 'MCPServer',
      metadata: { name: 'notes' },
      spec: {
        type: 'streamable-http',
        url: 'http://127.0.0.1:9/mcp',
        autoStart: false,
        auth: { type: 'oauth' },
      },
    };
    const other = { ...notes, metadata: { name: 'other' } };
    const file = (definition: typeof notes): [string, string] => [
      `mcpservers/${definition.metadata.name}.yaml`,
      JSON.stringify(definition),
    ];
    const gateway = await bootGateway({
      builtIns: 'all',
      aggregator: { port: 0, oauth: { mcpClient: { enabled: true } } },
      files: Object.fromEntries([file(notes), file(other)]),
    });
    const all = <T>(id: string): T => gateway.kernel.registry.all(id)[0] as T;
    const credential = (name: string): CallerCredential => {
      const server = all<GuardedServers>(GuardedServers.id).get(name);
      if (server === undefined) throw new Error(`no server ${name}`);
      return all<CallerCredentials>(CallerCredentials.id).of(server, { ...ANYONE });
    };
    const before = [credential('notes'), credential('other')];
    expect(credential('notes')).equal(before[0]);
    rmSync(gateway.directory.at('mcpservers/notes.yaml'));
    await gateway.pipeline.reload();
    writeFileSync(gateway.directory.at('mcpservers/notes.yaml'), JSON.stringify(notes));
    await gateway.pipeline.reload();
    expect(credential('notes'), 'removed meanwhile').not.equal(before[0]);
    expect(credential('other')).equal(before[1]);
  });

  it('refuses unknown keys with their place', async () => {
    const files = { 'config.yaml': 'aggregator:\n  oauth:\n    mcpClient: { wrong: 1 }\n' };
    const refusal = await bootGateway({ builtIns: BUILT_INS, files }).then(
      () => '',
      (error: unknown) => JSON.stringify(error),
    );
    expect(refusal).contain('wrong');
  });

  it('trusts the authorities of aggregator.extraCaFile', async () => {
    const { url, certificate } = await server();
    const trusting = await bootGateway({ builtIns: BUILT_INS, aggregator: { extraCaFile: certificate } });
    const found = await askCore(trusting, 'core_mcpserver_detect', { url });
    expect(found['signIn']).include({ issuer: new URL(url).origin, registration: 'dynamic' });
    const other = await bootGateway({ builtIns: BUILT_INS });
    expect(await askCore(other, 'core_mcpserver_detect', { url })).include({ reachable: false });
  });

  it('reads that file again when it has changed', async () => {
    const servers = [await server(), await server()];
    const extraCaFile = makeDirectory({ 'ca.pem': readFileSync(selfSigned().certificate, 'utf8') }).at(
      'ca.pem',
    );
    const gateway = await bootGateway({ builtIns: BUILT_INS, aggregator: { extraCaFile } });
    for (const { url, certificate } of servers) {
      copyFileSync(certificate, extraCaFile);
      const found = await askCore(gateway, 'core_mcpserver_detect', { url });
      expect(found['signIn']).include({ issuer: new URL(url).origin });
    }
  });
});
