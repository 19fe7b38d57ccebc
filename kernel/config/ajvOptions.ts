/** The options for schemas of configurations and arguments, at run time and in the bundle. */
export const AJV_OPTIONS = {
  strict: false,
  useDefaults: true,
  allErrors: true,
  logger: false,
  verbose: true,
  addUsedSchema: false,
  // Compiling the meta-schema costs more than all of ours; tests check our schemas, isValidSchema() those of third parties.
  validateSchema: false,
  // Each schema checks a few values: optimizing its code costs more than it saves.
  code: { optimize: false },
} as const;
