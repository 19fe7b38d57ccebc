import { startAuthServer } from '../support/authServer.ts';
import type { AuthServer } from '../support/authServer.ts';
import { newBrowser } from '../support/browser.ts';
import { freePort } from '../support/everything.ts';
import { runSuite } from './suite.ts';
import type { Outcome } from './suite.ts';

const METADATA = 'authorization-server-metadata-endpoint';
const GRANT = 'authorization-code-grant';
const SCENARIOS = [METADATA, GRANT];

export interface AuthorizationLeg {
  readonly passed: readonly string[];
  readonly all: readonly string[];
  readonly faults: readonly string[];
}

/** The gateway as an authorization server; its identity provider signs a person in at once. The control is a client with a secret: the
 *  suite does not send secrets where public clients are allowed too, so that it must not get a token. */
export async function runAuthorizationLeg(revision: string): Promise<AuthorizationLeg> {
  const auth = await startAuthServer();
  const outcomes = await suiteWith(auth, 'none', revision);
  const control = await suiteWith(auth, 'client_secret_post', revision);
  const passed = SCENARIOS.filter((name) => outcomes.get(name)?.isPassed === true);
  const others = [...outcomes.keys()].filter((name) => !SCENARIOS.includes(name));
  const faults = [
    ...SCENARIOS.filter((name) => !passed.includes(name)).map(
      (name) => `${name} fails: ${outcomes.get(name)?.faults.join('; ') ?? 'it did not run'}`,
    ),
    ...others.map((name) => `${name} is new: add it`),
    ...(control.get(METADATA)?.isPassed === true ? [] : [`control: ${METADATA} fails`]),
    ...(control.get(GRANT)?.isPassed === false
      ? []
      : [`control: ${GRANT} passes without the client's secret`]),
  ];
  return { passed, all: SCENARIOS, faults: faults.map((fault) => `${revision} authorization: ${fault}`) };
}

/** Runs it with a client that has just registered. */
async function suiteWith(
  auth: AuthServer,
  authMethod: string,
  revision: string,
): Promise<ReadonlyMap<string, Outcome>> {
  const port = await freePort();
  const client = await registered(auth, authMethod, `http://127.0.0.1:${port}/callback`);
  const target = ['--url', auth.base, '--resource', `${auth.base}/mcp`, '--port', String(port)];
  const opened: Promise<unknown>[] = [];
  const read = (line: string): void => {
    if (line.startsWith(`${auth.base}/oauth/authorize?`)) opened.push(newBrowser().open(line));
  };
  const args = [...target, ...client, '--spec-version', revision];
  const { outcomes } = await runSuite('authorization', args, read);
  await Promise.all(opened);
  return outcomes;
}

/** @returns options of the suite */
async function registered(
  { base }: AuthServer,
  authMethod: string,
  redirectUri: string,
): Promise<readonly string[]> {
  const answer = await fetch(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: authMethod }),
  });
  const client = (await answer.json()) as { readonly client_id: string; readonly client_secret?: string };
  const secret = client.client_secret === undefined ? [] : ['--client-secret', client.client_secret];
  return ['--client-id', client.client_id, ...secret];
}
