import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { resolve } from 'node:path';
import { readFileSync, statSync } from 'node:fs';
import { GatewayError, certificatesIn, messageOf, trustedCertificates } from 'pegboard';
import type { Log } from 'pegboard';
import type { TlsSpec } from '../../contracts/servers.ts';
import { setNewest } from '../limits/setNewest.ts';

/** What TLS connections trust and show now; undefined: as Node.js does. @throws GatewayError CONFIG_UNREADABLE if it could never be read */
export type TlsTrust = () => SecureContext | undefined;

/** What a definition trusts and shows, without the name that it expects. */
export type TlsFiles = Omit<TlsSpec, 'servername'>;
export interface TlsParts {
  /** As configured, for all connections. */
  readonly extraCaFile: () => string | undefined;
  readonly directory: () => string;
  /** What changes is reported to it. */
  readonly log?: Pick<Log, 'info' | 'warn'>;
}

/** Contexts that are kept: all authorities together take 30 ms. */
const MAX_KEPT = 100;

/** The trust of each definition. Files are read again when they have changed; a change that cannot be used is reported, and what was
 *  read before stays. `place`: the key that holds the files. */
export function tlsTrusts(parts: TlsParts): (files?: TlsFiles, place?: string) => TlsTrust {
  const kept = new Map<string, Kept>();
  return (files = {}, place = 'tls') =>
    () => {
      const paths = pathsOf(files, parts);
      if (Object.values(paths).every((path) => path === undefined)) return undefined;
      const key = JSON.stringify(paths);
      const known = kept.get(key);
      const state = Object.values(paths).map(stateOf).join();
      if (known?.state === state) return known.context;
      const context = contextOf(paths, place, known, parts.log);
      setNewest(kept, [key, { state, context }], MAX_KEPT);
      return context;
    };
}

interface Kept {
  /** Inodes, sizes and modification times of the files when they were read. */
  readonly state: string;
  readonly context: SecureContext;
}
type Paths = Readonly<Record<'extraCaFile' | keyof TlsFiles, string | undefined>>;

function pathsOf({ ca, cert, key }: TlsFiles, { extraCaFile, directory }: TlsParts): Paths {
  const at = (file: string | undefined): string | undefined => file && resolve(directory(), file);
  return {
    extraCaFile: ca === undefined ? at(extraCaFile()) : undefined,
    ca: at(ca),
    cert: at(cert),
    key: at(key),
  };
}

/** Also tells links apart that lead elsewhere now, as in mounted secrets. */
function stateOf(path: string | undefined): string {
  if (path === undefined) return '';
  const { ino = 0, size = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${ino} ${size} ${mtimeMs}`;
}

function contextOf(
  paths: Paths,
  place: string,
  known: Kept | undefined,
  log: TlsParts['log'],
): SecureContext {
  try {
    const context = readContext(paths, place);
    if (known !== undefined) log?.info('certificates were read again', shown(paths));
    return context;
  } catch (error) {
    if (known === undefined) throw error;
    log?.warn('changed certificates cannot be used; the former stay', {
      ...shown(paths),
      reason: messageOf(error),
    });
    return known.context;
  }
}

function shown(paths: Paths): Readonly<Record<string, string>> {
  const files = Object.values(paths).filter((path) => path !== undefined);
  return { files: files.join(', ') };
}

function readContext({ extraCaFile, ca, cert, key }: Paths, place: string): SecureContext {
  if (key !== undefined && cert === undefined)
    throw new GatewayError(
      'CONFIG_UNREADABLE',
      `${place}.key belongs to a certificate; name its file in ${place}.cert`,
    );
  const authorities =
    ca === undefined
      ? read('extraCaFile', () => trustedCertificates(extraCaFile))
      : read(`${place}.ca`, () => certificatesIn(ca));
  const shown = cert === undefined ? undefined : read(`${place}.cert`, () => textOf(cert));
  const secret = cert === undefined ? undefined : read(`${place}.key`, () => textOf(key ?? cert));
  const options = {
    ...(authorities && { ca: [...authorities] }),
    ...(shown !== undefined && { cert: shown, key: secret }),
    allowPartialTrustChain: true,
  };
  return read(`${place}.cert and ${place}.key`, () => createSecureContext(options));
}

/** @throws GatewayError CONFIG_UNREADABLE with the key of the configuration */
function read<T>(key: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new GatewayError('CONFIG_UNREADABLE', `${key}: ${messageOf(error)}`, { cause: error });
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${messageOf(error)}; name a PEM file that can be read`, { cause: error });
  }
}
