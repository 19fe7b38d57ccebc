import { spawn } from 'node:child_process';
import type { Env } from 'pegboard';

/** What runs longer than this has opened a window. */
const SETTLED_MS = 2_000;

/** The program that opens an address: $BROWSER, or the system's. @returns undefined if no browser would be seen from here */
export function browserCommand(env: Env, platform: NodeJS.Platform): readonly string[] | undefined {
  const { BROWSER: own, DISPLAY: x11, WAYLAND_DISPLAY: wayland, SSH_CONNECTION: ssh } = env;
  if (own !== undefined && own !== '') return [own];
  const hasDisplay = Boolean(x11) || Boolean(wayland);
  if (ssh !== undefined && !hasDisplay) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return hasDisplay ? ['xdg-open'] : undefined;
}

/** @returns whether a browser was started @param url http or https */
export function openBrowser(url: string, env: Env, platform = process.platform): Promise<boolean> {
  const [program, ...words] = browserCommand(env, platform) ?? [];
  if (program === undefined || !/^https?:$/.test(new URL(url).protocol)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true, env });
    const timer = setTimeout(() => resolve(true), SETTLED_MS);
    const settle = (isOpen: boolean): void => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
    child.unref();
  });
}
