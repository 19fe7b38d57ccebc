import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isObject, messageOf } from 'pegboard';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import { Failure } from '../failure.ts';
import { releaseLock, takeLock } from '../fileLock.ts';
import { writePrivate } from '../files.ts';

/** What a sign-in at a gateway left. Times are ISO 8601. */
export interface StoredTokens {
  /** Normalised, see gatewayOf(). */
  readonly server_url: string;
  readonly issuer_url: string;
  readonly client_id: string;
  readonly redirect_uri: string;
  /** The refresh token goes to this address and no other. */
  readonly token_endpoint: string;
  readonly revocation_endpoint?: string;
  readonly resource: string;
  /** Both tokens are absent once the sign-in is over. */
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly token_type: string;
  readonly id_token?: string;
  readonly expiry: string;
  readonly refreshed_at: string;
  /** When the person signed in. */
  readonly created_at: string;
}

export type SignInPlace = Pick<
  StoredTokens,
  | 'server_url'
  | 'issuer_url'
  | 'client_id'
  | 'redirect_uri'
  | 'token_endpoint'
  | 'revocation_endpoint'
  | 'resource'
>;

/** Longer than any refresh takes: what holds the lock longer was killed in between. */
const STALE_MS = 120_000;
const POLL_MS = 25;
/** Assumed life of a token where the server does not give one. */
const DEFAULT_LIFETIME_S = 3_600;
const OTHERS = 0o077;

/** The tokens for one gateway: a file of mode 0600 in a folder of mode 0700. */
export class TokenFile {
  readonly path: string;
  readonly #folder: string;

  /** @param directory the configuration directory @param endpoint any of the gateway's MCP addresses */
  constructor(directory: string, endpoint: string) {
    this.#folder = folderOf(directory);
    const digest = createHash('sha256').update(gatewayOf(endpoint)).digest();
    this.path = join(this.#folder, `${digest.subarray(0, 16).toString('hex')}.json`);
  }

  /** Takes away rights of others. @returns undefined if there was no sign-in @throws Failure if the file cannot be read */
  read(): Promise<StoredTokens | undefined> {
    return readTokens(this.path);
  }

  /** @throws Failure if the file cannot be written */
  async write(tokens: StoredTokens): Promise<void> {
    await writePrivate(this.path, `${JSON.stringify(tokens, undefined, 2)}\n`);
    await tighten(this.#folder);
  }

  /** @throws Failure if the file cannot be deleted */
  async remove(): Promise<void> {
    await rm(this.path, { force: true }).catch((error: unknown) => {
      throw new Failure(`${this.path} cannot be deleted: ${messageOf(error)}`);
    });
  }

  /** Runs `work` in one process at a time: a refresh token that two use at once ends the sign-in. @throws Failure */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    const lock = `${this.path}.lock`;
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      while ((await takeLock(lock, STALE_MS)) !== undefined)
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    } catch (error) {
      throw new Failure(`${this.#folder} cannot be written: ${messageOf(error)}`);
    }
    try {
      return await work();
    } finally {
      await releaseLock(lock);
    }
  }
}

/** @param before of an earlier answer of the same sign-in, whose tokens stay where the new answer has none */
export function newTokens(tokens: OAuthTokens, place: SignInPlace, before?: StoredTokens): StoredTokens {
  const now = Date.now();
  const { access_token, token_type, expires_in = DEFAULT_LIFETIME_S } = tokens;
  const refresh_token = tokens.refresh_token ?? before?.refresh_token;
  const id_token = tokens.id_token ?? before?.id_token;
  const refreshed_at = new Date(now).toISOString();
  return {
    ...place,
    access_token,
    token_type,
    refreshed_at,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(id_token !== undefined && { id_token }),
    expiry: new Date(now + expires_in * 1_000).toISOString(),
    created_at: before?.created_at ?? refreshed_at,
  };
}

/** The sign-ins at all gateways. @throws Failure */
export async function allTokens(directory: string): Promise<readonly StoredTokens[]> {
  const names = await readdir(folderOf(directory)).catch(() => []);
  const files = names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
  const read = await Promise.all(files.map((name) => readTokens(join(folderOf(directory), name))));
  return read.filter((tokens) => tokens !== undefined);
}

/** The gateway that an MCP address belongs to: its origin and path without `/mcp`, `/sse` or `/mcp/t/<preset>`. */
export function gatewayOf(endpoint: string): string {
  const { origin, pathname } = new URL(endpoint);
  return origin + pathname.replace(/(?<!\/)\/+$/, '').replace(/\/(mcp|sse|mcp\/t\/[^/]+)$/, '');
}

function folderOf(directory: string): string {
  return join(directory, 'tokens');
}

async function readTokens(path: string): Promise<StoredTokens | undefined> {
  let text: string;
  try {
    await tighten(path);
    text = await readFile(path, 'utf8');
  } catch (error) {
    // ENOTDIR: the configuration directory itself is not there.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new Failure(`${path} cannot be read: ${messageOf(error)}`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && typeof value['server_url'] === 'string') return value as unknown as StoredTokens;
  } catch {
    // Said below, as for any other text that this program did not write.
  }
  throw new Failure(`${path} is damaged; remove ${basename(path)} and sign in again`);
}

/** As far as it may: a folder that Kubernetes has prepared belongs to another user. */
async function tighten(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & OTHERS) === 0) return;
  await chmod(path, mode & 0o700).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  });
}
