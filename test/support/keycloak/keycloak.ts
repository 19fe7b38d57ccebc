import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { defer } from '../cleanup.ts';
import { makeDirectory } from '../directory.ts';
import { freePort } from '../everything.ts';
import { until } from '../until.ts';
import { ADMIN, HOME, JAVA_OPTIONS } from './distribution.ts';

const START_MS = 150_000;
const SHOWN_CHARS = 2_000;

/** A real Keycloak. */
export interface Keycloak {
  /** `http://127.0.0.1:<port>`, the same one after a restart. */
  readonly url: string;
  /** A call of its admin interface. @param path below /admin/realms @returns the body of the answer
   *  @throws Error that shows an answer other than 2xx */
  readonly admin: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** Connections are refused until `start`. */
  readonly stop: () => Promise<void>;
  /** Resolves once people can sign in. */
  readonly start: () => Promise<void>;
}

/** Started with a copy of the installed data; ended after the run. Call it in a `before`, after `needKeycloak`. */
export async function startKeycloak(): Promise<Keycloak> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { path: data } = makeDirectory();
  cpSync(join(HOME, 'data/h2'), data, { recursive: true });
  const environment = {
    ...process.env,
    ...JAVA_OPTIONS,
    KC_DB_URL: `jdbc:h2:file:${data}/keycloakdb;NON_KEYWORDS=VALUE;DB_CLOSE_ON_EXIT=FALSE`,
  };
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    // Java is a child of the script.
    process.kill(-child.pid, signal);
    await ended;
  };
  const start = async (): Promise<void> => {
    const args = ['start', '--optimized', `--http-port=${port}`, `--hostname=${url}`];
    const started = spawn('bash', [join(HOME, 'bin/kc.sh'), ...args], {
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    let said = '';
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-SHOWN_CHARS)));
    const isReady = async (): Promise<boolean> => {
      if (started.exitCode !== null) throw new Error(`Keycloak ended: ${said}`);
      const answer = await fetch(`${url}/realms/master`).catch(() => undefined);
      await answer?.arrayBuffer();
      return answer?.status === 200;
    };
    await until(isReady, { what: 'Keycloak', withinMs: START_MS });
  };
  defer(() => end('SIGKILL'));
  await start();
  return {
    url,
    admin: async (method, path, body) => {
      const token = await answerOf(`${url}/realms/master/protocol/openid-connect/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', ...ADMIN }),
      });
      const { access_token: access } = token as { readonly access_token: string };
      return answerOf(`${url}/admin/realms${path}`, {
        method,
        headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    },
    stop: () => end('SIGTERM'),
    start,
  };
}

async function answerOf(url: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${init.method} ${url}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
