/** Hints of a core tool that changes nothing. Source: interface.md, Core tools. */
export const READING = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** Input schema of a core tool without arguments. */
export const NO_ARGUMENTS = {
  type: 'object',
  properties: {},
  required: [],
  additionalProperties: false,
} as const;
