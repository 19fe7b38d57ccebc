import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, messageOf } from 'pegboard';
import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { REMEDY_KEY } from '../../kit/faults/remedy.ts';
import { failureText } from '../gateway.ts';
import type { Result } from '../gateway.ts';
import { asText } from './print.ts';

type Content = Result['content'][number];

/** Prints a tool's result: text as text, structured content as YAML, images and sounds as files below `--save`.
 *  @returns the exit code: 1 if the tool answered with isError @throws Failure if a file cannot be written */
export async function printResult(invocation: Invocation, result: Result): Promise<number> {
  const { output, save } = optionsOf<{ save?: string }>(invocation);
  const { terminal } = invocation;
  const { content, structuredContent, isError } = result;
  if (output === 'json' || output === 'yaml')
    terminal.out(asText({ content, structuredContent, isError: isError === true }, output));
  else if (isObject(structuredContent) && isError !== true) terminal.out(asText(structuredContent, 'yaml'));
  else if (isError === true && result._meta?.[REMEDY_KEY] !== undefined)
    terminal.err(`${failureText(result)}\n`);
  else
    for (const [at, item] of content.entries())
      terminal[isError === true ? 'err' : 'out'](lineOf(item, at, save));
  await saveFiles(invocation, content);
  return isError === true ? 1 : 0;
}

function lineOf(item: Content, at: number, save: string | undefined): string {
  if (item.type === 'text') return item.text.endsWith('\n') ? item.text : `${item.text}\n`;
  if (item.type === 'resource_link') return `${item.uri}\n`;
  if (item.type === 'resource' && 'text' in item.resource) return `${item.resource.text}\n`;
  if (save !== undefined) return '';
  const { mimeType = 'data' } = item.type === 'resource' ? item.resource : item;
  return `[${item.type} ${at + 1}: ${mimeType}; add --save DIR for the file]\n`;
}

async function saveFiles(invocation: Invocation, content: readonly Content[]): Promise<void> {
  const { save } = optionsOf<{ save?: string }>(invocation);
  if (save === undefined) return;
  for (const [at, item] of content.entries()) {
    const data = bytesOf(item);
    if (data === undefined) continue;
    const file = join(save, `${at + 1}.${data.extension}`);
    try {
      await mkdir(save, { recursive: true });
      await writeFile(file, data.bytes);
    } catch (error) {
      throw new Failure(`--save: ${messageOf(error)}`);
    }
    invocation.terminal.err(`saved ${file}\n`);
  }
}

function bytesOf(item: Content): { bytes: Buffer; extension: string } | undefined {
  if (item.type === 'image' || item.type === 'audio')
    return { bytes: Buffer.from(item.data, 'base64'), extension: extensionOf(item.mimeType) };
  if (item.type === 'resource' && 'blob' in item.resource)
    return {
      bytes: Buffer.from(item.resource.blob, 'base64'),
      extension: extensionOf(item.resource.mimeType),
    };
  return undefined;
}

/** The extension of a file. The type is the server's, so nothing but letters and digits goes into a file name. */
function extensionOf(mimeType = 'application/octet-stream'): string {
  return /\/([a-z0-9]{1,12})/i.exec(mimeType)?.[1]?.toLowerCase().replace('jpeg', 'jpg') ?? 'bin';
}
