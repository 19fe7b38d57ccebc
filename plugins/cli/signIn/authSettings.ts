import { isGatewayError, readSchema, validateArguments } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';
import { readConfig } from '../readConfig.ts';

/** `auth` of config.yaml with its defaults. Source: schemas/config.schema.json. */
export interface AuthSettings {
  readonly callbackPort: number;
  readonly mode: 'auto' | 'prompt' | 'none';
  readonly silent: boolean;
}

/** @throws Failure if config.yaml cannot be read, or `auth` is not valid */
export async function authSettings({ directory }: Invocation): Promise<AuthSettings> {
  const { file, value } = await readConfig(directory);
  const { properties } = readSchema('config') as { properties: { auth: JsonObject } };
  try {
    const auth = (value['auth'] ?? {}) as JsonObject;
    return validateArguments(properties.auth, auth, 'auth') as unknown as AuthSettings;
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    throw new Failure(`${file}: ${error.message}; see: pegboard check`);
  }
}
