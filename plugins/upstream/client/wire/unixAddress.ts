const FORM = /^unix:(?:\/\/)?(\/[^:?#]+)(?::(\/[^#]*))?$/;

/** A server behind a socket file, as nginx and got write it: `unix:/run/mcp.sock:/mcp`. */
export interface UnixAddress {
  readonly socketPath: string;
  /** What is asked for there. */
  readonly url: URL;
}

/** @returns undefined for another kind of address */
export function unixAddress(text: string): UnixAddress | undefined {
  const [, socketPath, path = '/'] = FORM.exec(text) ?? [];
  return socketPath === undefined ? undefined : { socketPath, url: new URL(path, 'http://localhost') };
}
