import { write } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { dataSynced } from './synced.ts';

/** Half the cost of the method of FileHandle, which the audit trail pays with every call. */
const writeTo = promisify(write);

/** A file that only this process writes, and only appends to. */
export class AppendFile {
  readonly #handle: FileHandle;
  #bytes: number;

  private constructor(handle: FileHandle, bytes: number) {
    this.#handle = handle;
    this.#bytes = bytes;
  }

  /** @param bytes size to which the file is truncated */
  static async open(path: string, bytes: number): Promise<AppendFile> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'a', 0o600);
    try {
      await handle.truncate(bytes);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new AppendFile(handle, bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the file still exists and has the size that this process wrote. */
  async isIntact(): Promise<boolean> {
    const { nlink, size } = await this.#handle.stat();
    return nlink > 0 && size === this.#bytes;
  }

  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    let written = 0;
    while (written < bytes.length) written += (await writeTo(this.#handle.fd, bytes, written)).bytesWritten;
    this.#bytes += written;
  }
  sync(): Promise<void> {
    return dataSynced(this.#handle);
  }
  close(): Promise<void> {
    return this.#handle.close();
  }
}
