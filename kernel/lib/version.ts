import { readFileSync } from 'node:fs';
import { packageFile } from './packageFile.ts';

const manifest = readFileSync(packageFile('package.json'), 'utf8');

/** The version in package.json. */
export const { version: VERSION } = JSON.parse(manifest) as { readonly version: string };
