import { messageOf } from 'pegboard';
import type { Finding, ReviewFacts } from 'pegboard';
import type { SearchSemanticConfig } from './config.ts';
import { addressFindings } from './configFindings.ts';
import { HttpEmbedder, filledAddress } from './httpEmbedder.ts';

/** References that cannot be filled and, with `--online`, an address that does not answer. */
export async function reviewFindings({
  config,
  settings,
  directory,
  env,
  isOnline,
}: ReviewFacts<SearchSemanticConfig>): Promise<readonly Finding[]> {
  const { url, faults } = filledAddress(config, directory, env);
  if (faults.length > 0)
    return faults.map(({ name, message }) => ({ path: [name], message: `${name} ${message}` }));
  const findings = config.url === url ? [] : addressFindings(url, config.allowPrivateIP);
  if (!isOnline || findings.some(({ severity = 'error' }) => severity === 'error')) return findings;
  try {
    const parts = {
      config: () => config,
      directory: () => directory,
      network: () => settings.aggregator,
      env,
    };
    await new HttpEmbedder(parts).embed(['hello'], 'query');
    return findings;
  } catch (error) {
    return [...findings, { path: ['url'], message: messageOf(error) }];
  }
}
