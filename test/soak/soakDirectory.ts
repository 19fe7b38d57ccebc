import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';

const BENCH = fileURLToPath(new URL('../bench/', import.meta.url));

/** A configuration with stdio servers of these names, and a workflow over the first. The servers' command lines name the directory. */
export function soakDirectory(servers: readonly string[]): Directory {
  const directory = makeDirectory({ 'package.json': '{"type":"module"}', 'config.yaml': '' });
  for (const file of ['upstreamStdio.js', 'echo.js']) cpSync(BENCH + file, directory.at(file));
  for (const name of servers) directory.write(`mcpservers/${name}.yaml`, serverText(directory));
  const step = `{ id: one, tool: x_${servers[0] ?? ''}_echo, args: { text: ok } }`;
  directory.write('workflows/once.yaml', `steps: [${step}]\n`);
  return directory;
}

/** @param edit another value makes another definition */
export function serverText(directory: Directory, edit = 0): string {
  const command = JSON.stringify([process.execPath, directory.at('upstreamStdio.js')]);
  return `type: stdio\nautoStart: true\ndescription: edit ${edit}\ncommand: ${command}\n`;
}
