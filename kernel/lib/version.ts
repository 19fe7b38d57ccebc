import { readFileSync } from 'node:fs';
import { packageFile } from './packageFile.ts';

const manifest = readFileSync(packageFile('package.json'), 'utf8');

/** Of this package, as package.json has it. */
export const { version: VERSION } = JSON.parse(manifest) as { readonly version: string };
