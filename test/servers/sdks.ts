import { fileURLToPath } from 'node:url';

/** An SDK of another project, with programs of ours that use it. */
export interface Sdk {
  readonly name: string;
  readonly version: string;
  /** Of its programs, below this one. */
  readonly folder: string;
  /** Shell commands, run in that folder, which write into $FOLDER; none for what npm has installed. */
  readonly install?: readonly string[];
  /** Commands of its programs, without their arguments. */
  readonly server: readonly string[];
  readonly client: readonly string[];
}

function compiled(name: string): readonly string[] {
  return [process.execPath, fileURLToPath(new URL(`programs/${name}.js`, import.meta.url))];
}

export const TS1: Sdk = {
  name: '@modelcontextprotocol/sdk',
  version: '1.32.2',
  folder: 'programs',
  server: compiled('ts1Server'),
  client: compiled('ts1Client'),
};
export const TS2: Sdk = {
  name: '@modelcontextprotocol/server',
  version: '2.4.0',
  folder: 'programs',
  server: compiled('ts2Server'),
  client: compiled('ts2Client'),
};
