import type { JsonObject } from 'pegboard';
import { schemaLine } from '../kit/definitions/schemaLine.ts';
import { Failure } from './failure.ts';
import { readConfig } from './readConfig.ts';

/** The line by which editors find the schema of a file in the configuration directory. @param name config, or a kind: MCPServer */
export async function schemaLineIn(directory: string, name: string): Promise<string> {
  return schemaLine(name, await settingsIn(directory));
}

/** What is wrong in config.yaml is told by what needs it; here it is where the gateway usually is. */
async function settingsIn(directory: string): Promise<JsonObject> {
  try {
    return (await readConfig(directory)).value;
  } catch (error) {
    if (error instanceof Failure) return {};
    throw error;
  }
}
