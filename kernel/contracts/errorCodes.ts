import type { Finding } from './finding.ts';

/** Every error code with the shape of its details. A plugin adds the codes that it throws:
 *  `declare module 'pegboard' { interface ErrorCodes { ACME_BUSY: { readonly queue?: number } } }`.
 *  The comment above a code is its meaning; the README of the owner repeats it, and a test compares the two. */
export interface ErrorCodes {
  /** config.yaml or a definition breaks its schema or a rule */
  CONFIG_INVALID: NoDetails;
  /** it names something that does not exist */
  CONFIG_REFERENCE: NoDetails;
  /** a file is not readable or not YAML */
  CONFIG_UNREADABLE: NoDetails;
  /** a plugin, or the provider of a capability, is not there */
  PLUGIN_MISSING: NoDetails;
  /** a plugin's own code or dependency failed while loading */
  PLUGIN_IMPORT: NoDetails;
  /** a plugin does not keep the plugin contract */
  PLUGIN_CONTRACT: NoDetails;
  /** a plugin could not be started */
  PLUGIN_START: NoDetails;
  /** a plugin was stopped while it was needed; try again */
  PLUGIN_STOPPED: NoDetails;
  /** a plugin failed inside a hook */
  PLUGIN_TAP: NoDetails;
  /** no such tool for this caller */
  TOOL_NOT_FOUND: {
    /** Visible names that look like the one asked for. */
    readonly near?: readonly string[];
    /** True at the entry, where only meta-tools can be called. */
    readonly direct?: boolean;
  };
  /** two tools have one name */
  TOOL_DUPLICATE: { readonly tool?: string };
  /** arguments do not fit the tool's schema */
  TOOL_ARGUMENTS: { readonly findings?: readonly Finding[] };
  /** the caller ended the call */
  TOOL_CANCELLED: NoDetails;
}
export type ErrorCode = keyof ErrorCodes;

/** The details of a code that defines none. */
export type NoDetails = unknown;

/** Facts that an error of any code may carry, for logs and structured answers; never a secret. A plugin adds its own as it
 *  adds codes. */
export interface ErrorDetails {
  /** The decision layer that refused a tool. */
  readonly layer?: string;
  /** Seconds after which the caller may try again. */
  readonly retryAfter?: number;
  /** The plugins that prevent a configuration from being applied. */
  readonly plugins?: readonly string[];
  /** The id of the capability that no plugin provides. */
  readonly capability?: string;
}
