import { GatewayError } from 'pegboard';
import { fillReferences } from 'pegboard/kit';
import type { Env } from 'pegboard';
import type { Filled } from 'pegboard/kit';
import type { ServerConfig } from './config.ts';

export interface ConfigSecrets {
  readonly clientSecret: string;
  readonly registrationToken: string | undefined;
}

/** The secrets of the configuration: each given as text, as a reference, or as the name of a file.
 *  @param directory base of relative paths @throws GatewayError CONFIG_INVALID naming the key and the reason, never the content */
export function secretsOf(config: ServerConfig, directory: string): ConfigSecrets {
  const { secrets, faults } = filledSecrets(config, directory);
  const [fault] = faults;
  if (fault === undefined) return secrets;
  throw new GatewayError('CONFIG_INVALID', `aggregator.oauth.server.${fault.name} ${fault.message}`);
}

/** As secretsOf, with the reasons of those that cannot be read. */
export function filledSecrets(
  { idp, registrationToken, registrationTokenFile }: ServerConfig,
  directory: string,
  env?: Env,
): { readonly secrets: ConfigSecrets; readonly faults: Filled['faults'] } {
  const given = {
    'idp.clientSecret': idp.clientSecret ?? referenceTo(idp.clientSecretFile),
    registrationToken: registrationToken ?? referenceTo(registrationTokenFile),
  };
  const { values, faults } = fillReferences(given, directory, env);
  const token = values['registrationToken']?.trim() ?? '';
  const secrets = {
    clientSecret: values['idp.clientSecret']?.trim() ?? '',
    registrationToken: token === '' ? undefined : token,
  };
  return { secrets, faults };
}

function referenceTo(file: string | undefined): string {
  return file === undefined ? '' : `\${file:${file}}`;
}
