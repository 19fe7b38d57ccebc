import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { faultPath } from './faultsIn.ts';
import type { Fault } from './faultsIn.ts';

/** Up to here data is decoded as clients do; of longer data only the ends are read, which shows data urls, base64url and plain text. */
const MAX_DECODED = 4_096;
const READ_CHARS = 1_024;

/** Binary parts of a result that are not base64. @param result has the shape of its method */
export function badDataIn({ content, contents, messages }: JsonObject): readonly Fault[] {
  const faults: Fault[] = [];
  if (Array.isArray(content)) content.forEach((item, at) => look(item, ['content', at], faults));
  if (Array.isArray(messages))
    messages.forEach((message: unknown, at) => {
      if (isObject(message)) look(message['content'], ['messages', at, 'content'], faults);
    });
  if (Array.isArray(contents)) contents.forEach((item, at) => check(item, 'blob', ['contents', at], faults));
  return faults;
}

function look(item: unknown, path: Fault['path'], faults: Fault[]): void {
  if (!isObject(item)) return;
  const { type } = item;
  if (type === 'image' || type === 'audio') check(item, 'data', path, faults);
  else if (type === 'resource') check(item['resource'], 'blob', [...path, 'resource'], faults);
}

function check(part: unknown, key: 'data' | 'blob', below: Fault['path'], faults: Fault[]): void {
  const data = isObject(part) ? part[key] : undefined;
  if (typeof data !== 'string' || isBase64(data)) return;
  const path = [...below, key];
  faults.push({ path, text: `${faultPath(path)} is not base64` });
}

function isBase64(text: string): boolean {
  if (text.length > MAX_DECODED)
    return hasOnlyBase64(text.slice(0, READ_CHARS)) && hasOnlyBase64(text.slice(-READ_CHARS));
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
}

function hasOnlyBase64(text: string): boolean {
  return /^[A-Za-z0-9+/=\s]*$/.test(text);
}
