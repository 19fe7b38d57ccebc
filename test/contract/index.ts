/** `pegboard/testing`: the suites that every store, auth surface and transport must pass, and a gateway to test against.
 *  They use mocha's globals and node:assert, nothing else. */
export { authContract } from './auth.ts';
export type { AuthUnderTest } from './auth.ts';
export { storeContract } from './store.ts';
export type { StoreUnderTest } from './store.ts';
export { transportContract } from './transport.ts';
export type { TransportClient, TransportUnderTest } from './transport.ts';
export { vaultContract } from './vault.ts';
export type { VaultUnderTest } from './vault.ts';
export { startGateway } from './gateway.ts';
export type { GatewayOptions, PluginEntries, TestGateway } from './gateway.ts';
export type { LogRecord } from './log.ts';
export { mcpClient } from './mcpClient.ts';
export type { McpClient } from './mcpClient.ts';
export { eventually } from './eventually.ts';
