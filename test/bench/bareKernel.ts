import { Kernel } from '../../kernel/kernel.ts';
import { createLog } from '../../kernel/program/createLog.ts';

/** A kernel without plugins, which logs errors only. */
export function bareKernel(): Kernel {
  const log = createLog({
    level: () => 'error',
    format: 'json',
    colour: false,
    write: (line) => process.stderr.write(line),
  });
  return new Kernel({ log });
}
