// Loaded with --import: the suite imports fs.globSync, which Node 20 lacks and no scenario needs.
import { register } from 'node:module';

const stand = `export * from 'node:fs'; export { default } from 'node:fs';
export const globSync = () => { throw new Error('globSync needs Node 22'); };`;
const hook = `
const STAND = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(stand)}`)};
export function resolve(specifier, context, next) {
  const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/dist/');
  if (isSuite && (specifier === 'fs' || specifier === 'node:fs')) return { url: STAND, shortCircuit: true };
  return next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
