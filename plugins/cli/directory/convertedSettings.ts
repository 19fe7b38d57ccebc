import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { withoutUndefined } from '../../kit/definitions/withoutUndefined.ts';

export interface Converted {
  readonly settings: JsonObject;
  /** What has another place now, and what is left to do, one line each. */
  readonly notes: readonly string[];
}

/** Google's issuer gives a refresh token only for access_type: offline. */
const GOOGLE = { issuerUrl: 'https://accounts.google.com', parameters: { access_type: 'offline' } };

/** The settings of muster's config.yaml as ours. What has no other name stays as it is: `pegboard check` judges it. */
export function convertedSettings(source: JsonObject): Converted {
  const notes: string[] = [];
  const { kubernetes, aggregator, ...others } = source;
  if (kubernetes !== undefined) notes.push('kubernetes is orchestrator here');
  const { musterPrefix, oauth, ...rest } = sectionOf(aggregator);
  if (musterPrefix !== undefined) notes.push('aggregator.musterPrefix is aggregator.servicePrefix here');
  const { server, ...client } = sectionOf(oauth);
  for (const [name, section] of Object.entries({ server, mcpClient: client['mcpClient'] }))
    if (isUndecided(section)) notes.push(`aggregator.oauth.${name} has no "enabled": it is off, as it was`);
  const { storage, ...converted } = isObject(server)
    ? convertedServer(server, notes)
    : { storage: undefined };
  const redis = redisOf(storage, notes);
  const settings = withoutUndefined({
    ...others,
    orchestrator: kubernetes,
    aggregator: isObject(aggregator)
      ? withoutUndefined({
          ...rest,
          servicePrefix: musterPrefix,
          oauth: isObject(oauth)
            ? withoutUndefined({
                ...client,
                mcpClient: decided(client['mcpClient']),
                server: isObject(server) ? decided(converted) : server,
              })
            : oauth,
        })
      : aggregator,
    plugins: redis && { 'vault-redis': { config: redis } },
  });
  return { settings, notes };
}

/** A section without its switch is off there, and refused here. */
function isUndecided(section: unknown): boolean {
  return isObject(section) && Object.keys(section).length > 0 && section['enabled'] === undefined;
}

function decided(section: unknown): unknown {
  return isUndecided(section) ? { enabled: false, ...sectionOf(section) } : section;
}

function convertedServer(server: JsonObject, notes: string[]): JsonObject {
  const { provider = 'dex', dex, google, encryptionKey, encryptionKeyFile, ...rest } = server;
  const given = provider === 'google' ? { ...GOOGLE, ...sectionOf(google) } : sectionOf(dex);
  const had = dex !== undefined || google !== undefined;
  if (had) notes.push(`aggregator.oauth.server.${String(provider)} is aggregator.oauth.server.idp here`);
  if (encryptionKey !== undefined || encryptionKeyFile !== undefined)
    notes.push(
      'aggregator.oauth.server.encryptionKey is left out: the file vault makes a key of its own, and replicas share plugins.vault-redis.config.secret',
    );
  const { tokenExchangeBroker: broker } = rest;
  return {
    ...rest,
    ...(had && { idp: given }),
    ...(isObject(broker) && { tokenExchangeBroker: convertedBroker(broker, notes) }),
  };
}

function convertedBroker(broker: JsonObject, notes: string[]): JsonObject {
  const targets = Object.entries(sectionOf(broker['targets'])).map(([name, target]) => {
    const { dexTokenEndpoint, ...others } = sectionOf(target);
    if (dexTokenEndpoint === undefined) return [name, target] as const;
    notes.push(`dexTokenEndpoint of the broker's target ${name} is idpTokenEndpoint here`);
    return [name, { ...others, idpTokenEndpoint: dexTokenEndpoint }] as const;
  });
  return { ...broker, ...(targets.length > 0 && { targets: Object.fromEntries<unknown>(targets) }) };
}

/** The configuration of vault-redis; undefined if the store was in memory. */
function redisOf(storage: unknown, notes: string[]): JsonObject | undefined {
  const { type, valkey } = sectionOf(storage);
  if (type !== 'valkey') return undefined;
  const { url, password, passwordFile, tlsEnabled, tlsServerName, keyPrefix, db } = sectionOf(valkey);
  const scheme = tlsEnabled === true ? 'rediss' : 'redis';
  const database = typeof db === 'number' ? `/${db}` : '';
  notes.push(
    'aggregator.oauth.server.storage is plugins.vault-redis here; its keys are new, so people sign in again',
    'write plugins.vault-redis.config.secret before several processes share the store',
  );
  return withoutUndefined({
    url: typeof url === 'string' ? `${scheme}://${url}${database}` : undefined,
    password: password ?? (typeof passwordFile === 'string' ? `\${file:${passwordFile}}` : undefined),
    serverName: tlsServerName,
    keyPrefix,
  });
}

function sectionOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
