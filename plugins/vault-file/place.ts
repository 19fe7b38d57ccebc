/** One open file. Reads may run beside one write. */
export interface LogFile {
  /** May give fewer bytes than asked for at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  write(offset: number, bytes: Buffer): Promise<void>;
  /** On return everything written survives a loss of power. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  size(): Promise<number>;
  /** Waits for reads under way. */
  close(): Promise<void>;
}

/** Where the log stands. */
export interface Place {
  /** For messages. */
  readonly name: string;
  /** The file in force; undefined when there is none. */
  current(): Promise<LogFile | undefined>;
  /** An empty file beside it; what an earlier one left is gone. */
  draft(): Promise<LogFile>;
  /** Puts the draft, which is synced, into the place of the current file in one step. */
  publish(): Promise<void>;
  /** On return what publish() did survives a loss of power. */
  settle(): Promise<void>;
  /** Keeps the current file under another name too. @returns that name */
  setAside(): Promise<string>;
}
