import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import type { Page } from './browser.ts';

export interface Desktop {
  /** The environment of a program that opens the browser. */
  readonly env: Readonly<Record<string, string>>;
  /** The addresses that were opened. */
  readonly opened: readonly URL[];
}

/** A desktop whose default browser ($BROWSER) is one of this process. */
export async function startDesktop(browser: { open: (url: string) => Promise<Page> }): Promise<Desktop> {
  const opened: URL[] = [];
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '', 'http://localhost').searchParams.get('url') ?? '';
    opened.push(new URL(url));
    res.end();
    // What comes of it is seen by the program.
    browser.open(url).catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => server.close());
  const home = makeDirectory({
    browser: `#!${process.execPath}\nfetch(process.env.DESKTOP + encodeURIComponent(process.argv[2]));\n`,
  });
  chmodSync(home.at('browser'), 0o755);
  const { port } = server.address() as AddressInfo;
  return { env: { BROWSER: home.at('browser'), DESKTOP: `http://127.0.0.1:${port}/?url=` }, opened };
}
