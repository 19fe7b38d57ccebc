// Generated from schemas/config/operators.schema.json by npm run tables.
export interface OperatorsConfig {
  /** Taken from operators: who may operate and define the gateway through its core tools. Others see only those
   *  of the class use. */
  readonly operators: OperatorsSection;
  /** Taken from access: entries with operator give their groups that class. */
  readonly access: readonly AccessEntry[];
}
export interface AccessEntry {
  /** Names of groups. */
  readonly groups: readonly string[];
  /** The issuer that the entry is bound to. Absent: any. */
  readonly issuer?: string;
  /** The class that the groups of the entry have. */
  readonly operator?: 'operate' | 'define';
}
export interface OperatorsSection {
  /** Groups of people who have signed in here, as the identity provider names them; compared exactly. */
  readonly groups: readonly string[];
  /** E-mail addresses of people who have signed in here; only those that the identity provider has verified
   *  count. */
  readonly emails: readonly string[];
  /** Subjects of an issuer: the only way to name callers with tokens of trusted issuers or of other clients. */
  readonly issuers: readonly {
    /** The claim iss, compared exactly. */
    readonly issuer: string;
    /** Values of the claim sub, compared exactly. */
    readonly subjects: readonly string[];
  }[];
  /** Without a sign-in, what an agent of this machine that changes the gateway takes: askIfPossible asks the
   *  person at clients that can show questions and serves others with a warning, ask refuses those others,
   *  define asks never. The command line and the admin pages are not asked. */
  readonly local: 'askIfPossible' | 'ask' | 'define';
  /** Networks as CIDR, whose callers without a sign-in count as the user of this machine: the bridge of a
   *  container, for example. */
  readonly networks: readonly string[];
}
