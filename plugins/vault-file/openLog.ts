import { LogDraft } from './logDraft.ts';
import type { KeyRing } from '../contracts/vault.ts';
import { SealedLog } from './sealedLog.ts';
import type { LogParts } from './sealedLog.ts';
import type { LogFile, LogPlace } from './logPlace.ts';
import { Reader } from './reader.ts';
import { scan } from './scan.ts';

/** Opens the log, or creates one: cuts a torn end, puts a damaged file aside. @throws GatewayError STORE_UNREACHABLE */
export async function openLog(parts: LogParts): Promise<SealedLog> {
  const { place, ring, log } = parts;
  const file = (await place.current()) ?? (await begin(place, ring));
  try {
    let size = await file.size();
    if (size === 0) size = await restart(file, ring);
    const found = await scan(new Reader(file, size), ring, place.name);
    if (found.tornBytes > 0) {
      log.info('unfinished write at the end of the vault cut', { file: place.name, bytes: found.tornBytes });
      await file.truncate(found.end);
    }
    // Writes of a killed process may be in the page cache only, and become visible now.
    await file.sync();
    const opened = new SealedLog(parts, file, found);
    await opened.repair(found);
    return opened;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function begin(place: LogPlace, ring: KeyRing): Promise<LogFile> {
  const draft = new LogDraft(await place.draft(), ring);
  try {
    await draft.finish(new Map());
    await place.publish();
    await place.settle();
    return draft.file;
  } catch (error) {
    await draft.file.close();
    throw error;
  }
}

/** Initializes an empty file, as a full disk leaves it. */
async function restart(file: LogFile, ring: KeyRing): Promise<number> {
  const draft = new LogDraft(file, ring);
  await draft.finish(new Map());
  return draft.end;
}
