import type { LogFile, LogPlace } from './logPlace.ts';

/** The same log in memory, for a state directory that is not writable. */
export function ramPlace(): LogPlace {
  let current: LogFile | undefined;
  let draft: LogFile | undefined;
  return {
    name: 'memory',
    current: () => Promise.resolve(current),
    draft: () => Promise.resolve((draft = ramFile())),
    publish: () => {
      current = draft;
      return Promise.resolve();
    },
    settle: () => Promise.resolve(),
    setAside: () => Promise.resolve('nowhere'),
  };
}

export function ramFile(content: Buffer = Buffer.alloc(0)): LogFile {
  let bytes: Buffer = Buffer.from(content);
  let size = bytes.length;
  return {
    read: (offset, length) =>
      Promise.resolve(Buffer.from(bytes.subarray(offset, Math.min(offset + length, size)))),
    write: (offset, added) => {
      const end = offset + added.length;
      if (end > bytes.length) bytes = Buffer.concat([bytes], Math.max(end, bytes.length * 2));
      added.copy(bytes, offset);
      size = Math.max(size, end);
      return Promise.resolve();
    },
    sync: () => Promise.resolve(),
    truncate: (to) => {
      bytes.fill(0, to);
      size = to;
      return Promise.resolve();
    },
    size: () => Promise.resolve(size),
    close: () => Promise.resolve(),
  };
}
