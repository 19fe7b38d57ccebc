import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Directory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import { soakDirectory } from './soakDirectory.ts';

const TOOL = 'x_a_echo';
const RULE = `plugins:\n  deny:\n    config:\n      tools:\n        - ${TOOL}\n`;
/** Longer than an edit takes to be noticed. */
const LEFT_MS = 400;
const CLIENTS = 4;

export interface Edited {
  readonly edits: number;
  readonly refused: number;
  /** Calls of the denied tool that were not refused. */
  readonly runs: number;
}

/** Contents that editors, full disks and unmounted volumes give a config.yaml for a moment; with `required`, also half of it. */
export async function editUnderCalls(edits: number): Promise<Edited> {
  const empties = [blank, whitespace, gone, moved];
  const plain = await edited(RULE, Math.ceil(edits / 2), (at) => empties[at % empties.length] ?? blank);
  const held = await edited(`required: [deny]\n${RULE}`, Math.floor(edits / 2), () => half);
  return { edits, refused: plain.refused + held.refused, runs: plain.runs + held.runs };
}

type Edit = (directory: Directory, text: string) => void;
const blank: Edit = ({ at }) => writeFileSync(at('config.yaml'), '');
const whitespace: Edit = ({ at }) => writeFileSync(at('config.yaml'), ' \n\t\n');
const gone: Edit = ({ at }) => rmSync(at('config.yaml'));
const moved: Edit = ({ path }) => renameSync(path, `${path}.away`);
const half: Edit = ({ at }, text) =>
  writeFileSync(at('config.yaml'), text.slice(0, Math.floor(Math.random() * text.length)));

async function edited(
  text: string,
  edits: number,
  editOf: (at: number) => Edit,
): Promise<Omit<Edited, 'edits'>> {
  const directory = soakDirectory(['a']);
  directory.write('config.yaml', text);
  const pegboard = await servePegboard(directory.path);
  await pegboard.logged('server connected');
  const ending = new AbortController();
  const counts = { refused: 0, runs: 0 };
  const clients = Array.from({ length: CLIENTS }, () => callDenied(pegboard.url, counts, ending.signal));
  for (let at = 0; at < edits; at += 1) {
    editOf(at)(directory, text);
    await pause(LEFT_MS);
    if (editOf(at) === moved) renameSync(`${directory.path}.away`, directory.path);
    else writeFileSync(directory.at('config.yaml'), text);
    await pause(LEFT_MS);
  }
  ending.abort();
  await Promise.all(clients);
  await pegboard.stop();
  return counts;
}

async function callDenied(
  url: string,
  counts: { refused: number; runs: number },
  signal: AbortSignal,
): Promise<void> {
  const client = await McpClient.connect(url);
  while (!signal.aborted) {
    const result = await client.callTool(TOOL, { text: 'denied?' });
    if (result.isError === true && textOf(result).includes('denied')) counts.refused += 1;
    else counts.runs += 1;
    await pause(5);
  }
}
