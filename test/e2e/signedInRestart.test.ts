import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AuthServer, startAuthServer, tokensOf } from '../support/authServer.ts';
import { callBody, initializeBody, postMcp } from '../support/edge.ts';
import { bootGateway } from '../support/gateway.ts';
import type { Directory } from '../support/directory.ts';
import { post, statelessCall } from '../support/stateless.ts';

const BUILT_INS = [
  ...['http', 'front', 'transport-http', 'transport-sse', 'metatools', 'toolsets'],
  ...['vault-file', 'auth-server', 'store-file', 'workflow', 'core-services'],
];
const LIST = { name: 'core_workflow_execution_list' };

/** Rotates as the README says: a new key in front of those in the file. */
function addKey(directory: Directory, file: string): void {
  const { keys } = JSON.parse(readFileSync(directory.at(file), 'utf8')) as { keys: readonly object[] };
  const key = { id: randomBytes(4).toString('hex'), key: randomBytes(32).toString('base64') };
  directory.write(file, JSON.stringify({ keys: [key, ...keys] }));
}

describe('e2e: a restart of a gateway with sign-in', () => {
  let auth: AuthServer;

  /** The next process on the same directory. */
  async function restart(change: (directory: Directory) => void = () => undefined): Promise<void> {
    await auth.gateway.stop();
    const { directory } = auth.gateway;
    change(directory);
    auth = new AuthServer(auth.base, auth.provider, await bootGateway({ directory, builtIns: BUILT_INS }));
    await auth.discovered();
  }

  it('with new keys keeps sessions, sign-ins, refresh tokens and what is the caller’s', async () => {
    auth = await startAuthServer({
      builtIns: BUILT_INS,
      settings: { plugins: { 'vault-file': {}, 'vault-memory': false } },
      files: { 'workflows/w.yaml': JSON.stringify({ steps: [{ id: 'a', tool: 'core_service_list' }] }) },
    });
    let tokens = await auth.tokens();
    auth.provider.loginAs('bob');
    const bob = (await auth.tokens()).access;
    const opened = await postMcp(auth.base, initializeBody(), { authorization: `Bearer ${tokens.access}` });
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const ask = (token: string, name: string) =>
      postMcp(auth.base, callBody('call_tool', { name }), { ...session, authorization: `Bearer ${token}` });
    const run = await ask(tokens.access, 'workflow_w');
    const id = /execution_id\\": ?\\"([\w-]+)/.exec(run.text)?.[1] ?? run.text;

    const changes: Readonly<Record<string, (directory: Directory) => void>> = {
      'nothing else': () => undefined,
      'new keys of sessions and the vault': (directory) => {
        addKey(directory, 'state/session-keys.json');
        addKey(directory, 'state/vault-keys.json');
      },
      'a new key of the provider': () => auth.provider.rotateKeys(),
    };
    for (const [what, change] of Object.entries(changes)) {
      await restart(change);
      expect((await ask(tokens.access, LIST.name)).text, what).include(id);
      tokens = tokensOf(await auth.refresh(tokens.refresh));
      expect((await ask(tokens.access, LIST.name)).text, `${what}, with a new token`).include(id);
      expect((await ask(bob, LIST.name)).status, `${what}, as another person`).equal(404);
      const others = await post(auth.base, statelessCall('call_tool', LIST), {
        authorization: `Bearer ${bob}`,
      });
      expect(others.text, what).include('\\"total\\":0');
    }
    await restart();
    const { status } = await auth.post(
      { token: tokens.refresh, client_id: 'test-client' },
      {},
      '/oauth/revoke',
    );
    expect(status).equal(200);
    await restart();
    expect((await ask(tokens.access, LIST.name)).status, 'after signing out').equal(401);
  });
});
