// Generated from schemas/config/access.schema.json by npm run tables.
export interface AccessConfig {
  /** Taken from access: which tools the members of which groups see. All entries that name a group of the
   *  caller apply together; a caller without an entry sees no tool. */
  readonly access: readonly AccessEntry[];
}
export interface AccessEntry {
  /** Names of groups, as the identity provider gives them; "*" is every caller that has signed in. */
  readonly groups: readonly string[];
  /** Selectors, as in the header X-Service-Toolset: preset:<name>, server:<name>, workflow:<name> or
   *  tool:<name>. */
  readonly toolset: readonly string[];
  /** Only callers of this issuer, the claim iss compared exactly: groups of two issuers may have one name.
   *  Absent: callers of any. */
  readonly issuer?: string;
  /** What the groups may do with the gateway itself: operate, or define, which includes it; see operators.
   *  Absent: neither. */
  readonly operator?: 'operate' | 'define';
}
