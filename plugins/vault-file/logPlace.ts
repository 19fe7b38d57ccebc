/** One open file. Reads may run during a write. */
export interface LogFile {
  /** Returns fewer bytes than requested at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  write(offset: number, bytes: Buffer): Promise<void>;
  /** Once resolved, everything written survives a loss of power. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  size(): Promise<number>;
  /** Waits for running reads. */
  close(): Promise<void>;
}

/** The files of a log. */
export interface LogPlace {
  /** The name in messages. */
  readonly name: string;
  /** The current file; undefined if there is none. */
  current(): Promise<LogFile | undefined>;
  /** Creates an empty draft beside it; an earlier draft is removed. */
  draft(): Promise<LogFile>;
  /** Replaces the current file by the draft, which is synced, in one step. */
  publish(): Promise<void>;
  /** Once resolved, the effect of publish() survives a loss of power. */
  settle(): Promise<void>;
  /** Gives the current file a second name. @returns that name */
  setAside(): Promise<string>;
}
