import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Issue } from '../contracts/config.ts';
import type { Log } from '../log.ts';
import { GatewayError, messageOf } from '../errors.ts';
import { packageFile } from '../lib/packageFile.ts';

/** Why a path cannot be the configuration directory, or undefined. */
export function directoryIssue(directory: string): Issue | undefined {
  const isThere = existsSync(directory);
  if (isThere && statSync(directory).isDirectory()) return undefined;
  const message = isThere
    ? `it is a file; name the directory: --config-path ${dirname(directory)}`
    : 'there is no such directory; correct --config-path, or create it';
  return { severity: 'error', code: 'CONFIG_UNREADABLE', message, file: directory };
}

/** Creates and logs a missing configuration directory with a commented config.yaml. @throws GatewayError CONFIG_UNREADABLE */
export function createMissingConfig(directory: string, log: Log): void {
  if (existsSync(directory)) return;
  try {
    mkdirSync(join(directory, 'mcpservers'), { recursive: true, mode: 0o755 });
    const template = readFileSync(packageFile('kernel/program/firstConfig.yaml'));
    writeFileSync(join(directory, 'config.yaml'), template);
  } catch (error) {
    const fix = 'name one that can be written with --config-path';
    const text = `the configuration directory cannot be created: ${messageOf(error)}; ${fix}`;
    throw new GatewayError('CONFIG_UNREADABLE', text, { cause: error });
  }
  log.info('created a configuration directory; add servers as files in its mcpservers folder', { directory });
}

export type OpenedState = { readonly path: string } | { readonly path: undefined; readonly reason: string };

/** @returns the directory, created with mode 0700 and kept to its owner where it is ours, or why it is not writable */
export function openStateDirectory(path: string): OpenedState {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { mode, uid } = statSync(path);
    // Kubernetes, OpenShift and `docker --user` prepare directories that belong to others.
    if ((mode & 0o077) !== 0 && uid === process.geteuid?.()) chmodSync(path, 0o700);
    // The mode alone does not tell: root may write, a squashed mount may not.
    rmdirSync(mkdtempSync(join(path, '.writable-')));
    return { path };
  } catch (error) {
    return { path: undefined, reason: messageOf(error) };
  }
}

/** @param kept what the running plugins store there, in words */
export function warnOfLosses(
  kept: readonly string[],
  { path, reason }: { readonly path: string; readonly reason: string },
  log: Log,
): void {
  const [last = 'what plugins keep', ...others] = [...kept].reverse();
  const all = others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`;
  const fix = 'name a writable one with --state-path or PEGBOARD_STATE_PATH';
  log.warn(`state directory is not writable: ${all} will not survive a restart`, { path, reason, fix });
}
