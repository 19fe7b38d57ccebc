import { Failure } from '../text/failure.ts';

/** Where a package was built, as far as that is proven. */
export type Provenance =
  | Built
  /** Its registry declares no statement. */
  | { readonly state: 'absent' }
  /** Its registry declares one, and has none. */
  | { readonly state: 'unserved' };

/** A build whose certificate, log entry, signature and archive have been verified. All texts are those of the certificate. */
export interface Built {
  readonly state: 'verified';
  /** `https://github.com/acme/notes` */
  readonly repository: string;
  /** What GitHub or GitLab knows it and its owner by, which no other gets with the name; certificates before 2023 have none. */
  readonly repositoryId?: string;
  readonly ownerId?: string;
  /** `https://github.com/acme/notes/.github/workflows/release.yml@refs/tags/v1` */
  readonly workflow: string;
  readonly commit: string;
  /** Whether npm itself has stated that it published this archive under this name. */
  readonly isPublished: boolean;
}

/** A statement that is not true of its package, or that none of the known keys has signed. */
export class FalseProvenance extends Failure {}
