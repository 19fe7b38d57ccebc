export interface MetatoolsConfig {
  readonly callToolEnvelope: 'native' | 'json';
  readonly resultBudget: number;
  readonly maxStoredResults: number;
  readonly maxStoredChars: number;
  readonly storedResultTtlSeconds: number;
  readonly readCacheBytes: number;
  readonly headChars: number;
  readonly maxKeptIds: number;
  readonly pageChars: number;
  readonly maxPageChars: number;
  readonly maxSelectChars: number;
  readonly maxSelectNesting: number;
  readonly defaultPageBytes: number;
  readonly maxPageBytes: number;
  readonly maxQueryChars: number;
  readonly startingWaitMs: number;
  readonly clientHints: boolean;
}
