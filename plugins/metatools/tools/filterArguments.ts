/** Tools on a page of filter_tools. */
export const LIMIT = 5;

/** The arguments of filter_tools. */
export const FILTER_ARGUMENTS = {
  query: { type: 'string', description: 'What to do, in words' },
  queries: {
    type: 'array',
    items: { type: 'string' },
    description: 'Up to 8 needs, instead of query',
  },
  pattern: { type: 'string', description: 'Glob on the tool name: *issue*' },
  description_filter: { type: 'string', description: 'Text that the description holds' },
  labels: { type: 'object', description: 'Labels that a tool must carry' },
  case_sensitive: { type: 'boolean', default: false, description: 'Of pattern' },
  include_schema: { type: 'boolean', default: false, description: 'Full descriptions and schemas' },
  limit: { type: 'number', minimum: 1, default: LIMIT, description: 'Tools per page' },
  offset: { type: 'number', minimum: 0, default: 0, description: 'Tools to skip' },
  toolset: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: 32,
    description: 'Only in server:<name>, tool:<name>, workflow:<name>, preset:<name>',
  },
  include_presets: { type: 'boolean', default: false, description: 'Also list the presets' },
};

/** Those that operators and programs need, not agents. */
export const UNLISTED_ARGUMENTS = ['description_filter', 'labels', 'case_sensitive', 'include_presets'];
