import { Command } from '../contracts/command.ts';
import type { Plugin } from '../contracts/plugin.ts';

/** Whether the plugin adds verbs to the command line. */
export function hasCommands({ provides }: Plugin): boolean {
  return provides?.some(({ id }) => id === Command.id) === true;
}
