import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from '../../../plugins/audit/line.ts';
import { Trail } from '../../../plugins/audit/trail.ts';
import type { TrailParts } from '../../../plugins/audit/trail.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory } from '../../support/directory.ts';
import { captureLog } from '../../support/log.ts';

export const NO_KEYS = { signing: undefined, trustedById: new Map() } as const;
const LIMITS = { maxFileBytes: 1_000_000, checkpointLines: 1_000, maxPendingLines: 1_000 };

export interface Disk extends Directory {
  /** Names of the trail's files. */
  files(): string[];
  /** Its lines, of all files or of one. */
  lines(file?: string): string[];
  parsed(): Line[];
  /** Rewrites one file, by default the newest. */
  edit(change: (lines: string[]) => string[], file?: string): void;
}

export function makeDisk(): Disk {
  const directory = makeDirectory();
  const trail = directory.at('audit');
  const files = (): string[] => readdirSync(trail).sort();
  const lines = (file?: string): string[] =>
    (file === undefined ? files() : [file]).flatMap((name) =>
      readFileSync(join(trail, name), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    );
  return {
    ...directory,
    files,
    lines,
    parsed: () => lines().map((line) => JSON.parse(line) as Line),
    edit: (change, file = files().at(-1)!) => {
      const text = change(lines(file)).map((line) => `${line}\n`);
      writeFileSync(join(trail, file), text.join(''));
    },
  };
}

/** A started trail. @param held the remembered end of the trail */
export async function openTrail(
  disk: Directory,
  more: Partial<TrailParts> & { readonly held?: { seq: number; hash: string } | undefined } = {},
): Promise<Trail> {
  const { held, ...parts } = more;
  const trail = new Trail({
    directory: disk.at('audit'),
    keys: NO_KEYS,
    limits: () => LIMITS,
    log: captureLog(),
    opening: () => ({}),
    grown: () => undefined,
    ...parts,
  });
  defer(() => trail.stop());
  await trail.start(() => Promise.resolve(held));
  return trail;
}

/** A trail of `count` calls, ended. @returns its end */
export async function writeTrail(disk: Directory, count: number, more: Partial<TrailParts> = {}) {
  const trail = await openTrail(disk, more);
  for (let call = 1; call <= count; call += 1) await trail.append({ type: 'begun', call }, true);
  return trail.stop();
}

/** PEM texts of a new pair. */
export function makeKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}
