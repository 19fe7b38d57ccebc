import { newKeyRing } from '../../../plugins/kit/secrets/keyRing.ts';
import type { KeyRing } from '../../../plugins/contracts/vault.ts';
import type { SealedLog } from '../../../plugins/vault-file/sealedLog.ts';
import { openLog } from '../../../plugins/vault-file/openLog.ts';
import type { LogFile, LogPlace } from '../../../plugins/vault-file/logPlace.ts';
import { ramFile } from '../../../plugins/vault-file/ramPlace.ts';
import { FileVault } from '../../../plugins/vault-file/fileVault.ts';
import { captureLog } from '../../support/log.ts';
import type { CapturedLog } from '../../support/log.ts';

export const LIMITS = {
  maxEntries: 100_000,
  maxBytes: 1e9,
  maxValueBytes: 1e7,
  maxPendingBytes: 1e8,
  maxBatchBytes: 1e6,
  compactGarbageBytes: 1e6,
};

/** A disk in memory that exposes its content and fails on demand. */
export interface TestDisk extends LogPlace {
  /** Bytes written so far. */
  bytes(): Promise<Buffer>;
  readonly aside: readonly Buffer[];
  /** Runs before every operation that changes a file; an error it throws is the disk's failure. */
  before: (what: 'write' | 'sync' | 'truncate' | 'publish') => void | Promise<void>;
}

export function testDisk(content?: Buffer): TestDisk {
  let current: LogFile | undefined = content === undefined ? undefined : ramFile(Buffer.from(content));
  let draft: LogFile | undefined;
  const aside: Buffer[] = [];
  const bytes = async (): Promise<Buffer> =>
    current === undefined ? Buffer.alloc(0) : current.read(0, await current.size());
  const disk: TestDisk = {
    name: 'test disk',
    aside,
    bytes,
    before: () => undefined,
    current: () => Promise.resolve(current === undefined ? undefined : watched(current)),
    draft: () => Promise.resolve(watched((draft = ramFile()))),
    publish: async () => {
      await disk.before('publish');
      current = draft;
    },
    settle: () => Promise.resolve(),
    setAside: async () => {
      aside.push(await bytes());
      return 'aside';
    },
  };
  const watched = (file: LogFile): LogFile => ({
    ...file,
    write: async (offset, added) => {
      try {
        await disk.before('write');
      } catch (error) {
        // A full disk writes a part of it.
        await file.write(offset, added.subarray(0, added.length >> 1));
        throw error;
      }
      await file.write(offset, added);
    },
    sync: async () => disk.before('sync'),
    truncate: async (size) => {
      await disk.before('truncate');
      await file.truncate(size);
    },
  });
  return disk;
}

export interface TestVault {
  readonly vault: FileVault;
  readonly sealed: SealedLog;
  readonly log: CapturedLog;
}
export interface TestVaultOptions {
  readonly disk?: TestDisk;
  readonly ring?: KeyRing;
  readonly limits?: Partial<typeof LIMITS>;
  readonly now?: () => number;
}

export const RING = newKeyRing();

export async function openVault(options: TestVaultOptions = {}): Promise<TestVault> {
  const { disk = testDisk(), ring = RING, limits = {}, now = Date.now } = options;
  const log = captureLog();
  const all = { ...LIMITS, ...limits };
  const sealed = await openLog({ place: disk, ring, log, limits: () => all });
  return { vault: new FileVault(sealed, () => all, now), sealed, log };
}

export async function contentOf(vault: FileVault): Promise<Record<string, unknown>> {
  const keys = await vault.list('');
  return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await vault.get(key)] as const)));
}
