import type { PackageSource } from './packageIn.ts';

/** What a registry declares for one version of a package. All texts are the registry's. */
export interface FoundPackage {
  readonly source: PackageSource;
  /** The newest final version; of an image undefined. */
  readonly newest: string | undefined;
  /** When this version was published, RFC 3339; undefined if the registry does not say. */
  readonly publishedAt: string | undefined;
  /** Who publishes it, as the registry says. */
  readonly publisher: string | undefined;
  /** Why its author advises against it. */
  readonly warning?: string | undefined;
  /** What else npm has of it. */
  readonly npm?: {
    /** Its address, which ends with a slash. */
    readonly registry: string;
    /** All that it has written of the archive's hash. */
    readonly integrity: string;
    /** Whether it declares statements of where this was built. */
    readonly hasStatements: boolean;
    /** Its own, of the hash. */
    readonly signatures: readonly unknown[];
  };
  /** The address that has said this. */
  readonly saidBy: string;
  /** Where its archive is; of an image undefined. */
  readonly archive: string | undefined;
}
