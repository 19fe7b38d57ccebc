import { GatewayError, fillReferences } from 'pegboard';
import type { ServerConfig } from './config.ts';

export interface Secrets {
  readonly clientSecret: string;
  readonly registrationToken: string | undefined;
}

/** The secrets of the configuration: each given as text, as a reference, or as the name of a file.
 *  @param directory base of relative paths @throws GatewayError CONFIG_INVALID naming the key and the reason, never the content */
export function secretsOf(config: ServerConfig, directory: string): Secrets {
  const { idp, registrationToken, registrationTokenFile } = config;
  const given = {
    'idp.clientSecret': idp.clientSecret ?? referenceTo(idp.clientSecretFile),
    registrationToken: registrationToken ?? referenceTo(registrationTokenFile),
  };
  const texts = Object.entries(given).flatMap(([key, text]) =>
    text === undefined ? [] : ([[key, text]] as const),
  );
  const { values, faults } = fillReferences(Object.fromEntries(texts), directory);
  const [fault] = faults;
  if (fault !== undefined)
    throw new GatewayError('CONFIG_INVALID', `aggregator.oauth.server.${fault.name} ${fault.message}`);
  return {
    clientSecret: values['idp.clientSecret']?.trim() ?? '',
    registrationToken: values['registrationToken']?.trim() || undefined,
  };
}

function referenceTo(file: string | undefined): string | undefined {
  return file === undefined ? undefined : `\${file:${file}}`;
}
