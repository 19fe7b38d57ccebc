export { TemplateError } from './errors.ts';
export type { ErrorPlace, TemplateErrorKind } from './errors.ts';
export type { RandomSource } from './env.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Limits } from './limits.ts';
export type { NumberMode, TemplateOptions } from './options.ts';
export { DENIED_BY_DEFAULT, FUNCTION_NAMES } from './registry.ts';
export { parseTemplate, Template } from './template.ts';
export { Int, integer } from './values.ts';
