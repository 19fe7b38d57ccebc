import { execFile } from 'node:child_process';

export interface Checked {
  readonly isValid: boolean;
  /** The report of `pegboard check`. */
  readonly stdout: string;
}

/** Runs `pegboard check` in a process of its own, as the operator would run it.
 *  @param program of another version @param signal ends it */
export function runCheck(
  directory: string,
  output: 'text' | 'json',
  program = process.argv[1] ?? '',
  signal?: AbortSignal,
): Promise<Checked> {
  const argv = [program, 'check', '--config-path', directory, '--output', output];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      argv,
      { maxBuffer: 64 * 1024 * 1024, ...(signal && { signal }) },
      (error, stdout, stderr) =>
        resolve({ isValid: error === null, stdout: stdout === '' ? stderr : stdout }),
    );
  });
}
