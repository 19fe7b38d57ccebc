import type { Env } from 'pegboard';
import { Failure } from '../failure.ts';
import type { ServiceManager } from './serviceFileText.ts';
import { launchd } from './launchd.ts';
import { systemd } from './systemd.ts';

/** @param uid of the user @throws Failure on a system without systemd and launchd */
export function serviceManager(platform: string, env: Env, uid: number): ServiceManager {
  const home = env['HOME'] ?? '';
  if (platform === 'linux') return systemd(env['XDG_CONFIG_HOME'] ?? `${home}/.config`);
  if (platform === 'darwin') return launchd(home, uid);
  throw new Failure(
    `pegboard service writes services of systemd (Linux) and launchd (macOS); on ${platform} start it by what the system has: ${process.execPath} ${process.argv[1] ?? ''} serve`,
  );
}
