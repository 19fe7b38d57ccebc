/** What the built-in plugins offer one another and third parties' plugins, imported as `pegboard/contracts`. */
export * from './core-services/contract.ts';
export * from './front/contract.ts';
export * from './http/contract.ts';
export * from './idempotency/contract.ts';
export * from './store-file/contract.ts';
export * from './toolsets/contract.ts';
export * from './upstream/contract.ts';
export * from './vault-file/contract.ts';
