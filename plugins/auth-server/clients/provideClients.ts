import { ConfigControl } from 'pegboard';
import type { Scope } from 'pegboard';
import { guardedFetch } from 'pegboard/net';
import { ClientSource } from '../../contracts/oauth.ts';
import { Vault } from '../../contracts/vault.ts';
import { parseDuration } from '../../kit/text/parseDuration.ts';
import { fetchTrust } from '../../kit/tls/fetchTrust.ts';
import type { AuthServerConfig, ServerConfig } from '../config.ts';
import { AllowedClients } from './allowedClients.ts';
import { ClientDocuments, DOCUMENT_BOUNDS } from './clientDocuments.ts';
import { Clients } from './clients.ts';
import { KeptDocuments } from './keptDocuments.ts';
import { Registrations } from './registrations.ts';

/** The applications that sign people in: of other plugins, by metadata documents, and registered ones. */
export function provideClients(scope: Scope<AuthServerConfig>): Clients {
  const config = (): ServerConfig => scope.config.aggregator.oauth.server;
  const registrations = new Registrations(
    () => scope.get(Vault),
    () => parseDuration(config().sessionDuration) ?? 0,
  );
  const fetchDocument = guardedFetch({
    ...DOCUMENT_BOUNDS,
    get allowPrivate() {
      return config().allowPrivateIPClientMetadata;
    },
    // Clients choose the host: nothing is shown there.
    trust: fetchTrust({
      extraCaFile: () => scope.config.aggregator.extraCaFile,
      directory: () => scope.get(ConfigControl).directory,
      log: scope.log,
    }),
    proxies: () => scope.config.aggregator,
  });
  return new Clients(
    () => scope.all(ClientSource),
    registrations,
    new ClientDocuments(fetchDocument, new KeptDocuments(() => scope.find(Vault), scope.log)),
    () => config().enableCIMD,
    new AllowedClients(() => config().allowedClients, scope.log),
  );
}
