import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { ErrorCode } from 'pegboard';
import type { Filled } from 'pegboard/kit';
import { SECRET_REFERENCE } from '../../contracts/secrets.ts';
import type { SecretSource } from '../../contracts/secrets.ts';

/** Fills `${secret:NAME/KEY}` in what fillReferences() has filled. @param field the key of the definition that has the values; empty if their names say it
 *  @throws GatewayError CONFIG_REFERENCE without a source; else as SecretSource.read(), with the place */
export async function fillSecretReferences(
  { values, secrets, referred, faults }: Filled,
  source: SecretSource | undefined,
  field: string,
): Promise<Filled> {
  const found: (readonly [string, string])[] = [];
  const filled = await Promise.all(
    Object.entries(values).map(async ([name, text]): Promise<readonly [string, string]> => {
      const texts = await Promise.all(
        [...text.matchAll(SECRET_REFERENCE)].map(([, secret = '', key = '']) =>
          readOne({ secret, key }, source, placeIn(field, name)),
        ),
      );
      if (texts.length === 0) return [name, text];
      let at = 0;
      const whole = text.replace(SECRET_REFERENCE, () => texts[at++] ?? '');
      found.push(...[...texts, whole].map((one) => [name, one] as const));
      return [name, whole];
    }),
  );
  return {
    values: Object.fromEntries(filled),
    secrets: [...secrets, ...found],
    referred: [...referred, ...found],
    faults,
  };
}

export function placeIn(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}

async function readOne(
  { secret, key }: { readonly secret: string; readonly key: string },
  source: SecretSource | undefined,
  place: string,
): Promise<string> {
  const what = `${place} names the key ${key} of the secret ${secret}`;
  if (source === undefined)
    throw new GatewayError('CONFIG_REFERENCE', `${what}, which is read in orchestrator mode only`);
  try {
    const texts = await source.read({ name: secret }, [key]);
    return texts[0] ?? '';
  } catch (error) {
    const code: ErrorCode = isGatewayError(error) ? error.code : 'STORE_UNREACHABLE';
    throw new GatewayError(code, `${what}, which cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
