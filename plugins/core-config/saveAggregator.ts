import { readFile } from 'node:fs/promises';
import { createFile, editYaml, GatewayError, isObject, readYaml, replaceFile } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Merges keys into the aggregator section of config.yaml, in one step; comments and order stay.
 *  @param attempts how often to begin again when somebody else saves the file meanwhile
 *  @throws GatewayError CONFIG_UNREADABLE, STORE_CONFLICT, STORE_FORBIDDEN, STORE_UNREACHABLE */
export async function saveAggregator(file: string, aggregator: JsonObject, attempts: number): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (await savedOnce(file, aggregator)) return;
  }
  throw new GatewayError('STORE_CONFLICT', `${file} keeps changing; try again`);
}

async function savedOnce(file: string, aggregator: JsonObject): Promise<boolean> {
  try {
    const text = await textOf(file);
    const edited = editYaml(text ?? '', ['aggregator'], { ...sectionOf(file, text ?? ''), ...aggregator });
    return text === undefined ? await createFile(file, edited) : await replaceFile(file, text, edited);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof GatewayError) throw error;
    if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) {
      throw new GatewayError('STORE_UNREACHABLE', `${file} cannot be written (${code})`, { cause: error });
    }
    const fix = 'make its folder writable for this process, or edit it where it comes from';
    throw new GatewayError('STORE_FORBIDDEN', `${file} cannot be written (${code}); ${fix}`, {
      cause: error,
    });
  }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function sectionOf(file: string, text: string): JsonObject {
  const { value, issues } = readYaml(text, file);
  const [fault] = issues;
  if (fault !== undefined) {
    const place = `${file}:${fault.line ?? 1}:${fault.column ?? 1}`;
    throw new GatewayError('CONFIG_UNREADABLE', `${place}: ${fault.message}; repair it before saving`);
  }
  const section = isObject(value) ? value['aggregator'] : undefined;
  return isObject(section) ? section : {};
}
