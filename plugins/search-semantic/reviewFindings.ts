import { messageOf } from 'pegboard';
import type { Finding, ReviewFacts } from 'pegboard';
import type { SearchSemanticConfig } from './config.ts';
import { addressFindings } from './configFindings.ts';
import { HttpEmbedder, filledAddress } from './httpEmbedder.ts';
import { folderFault, runtimeFault } from './localModel.ts';

/** References that cannot be filled, a local model that is not there or cannot run and, with `--online`, an address that does not
 *  answer. */
export async function reviewFindings({
  config,
  settings,
  directory,
  env,
  isOnline,
}: ReviewFacts<SearchSemanticConfig>): Promise<readonly Finding[]> {
  if (config.folder !== undefined)
    return [folderFault(config.folder, directory), runtimeFault(directory)].flatMap((message) =>
      message === undefined ? [] : [{ path: ['folder'], message }],
    );
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
