/** Replaces a secret in a text. */
export const HIDDEN = '[redacted]';
