// Preloaded (`--import`) after source.mjs: loads one source with a mistake in it, that of PEGBOARD_MUTANT (test/mutants/).
import { register } from 'node:module';

register('./mutatedSource.mjs', { parentURL: import.meta.url, data: process.env['PEGBOARD_MUTANT'] });
// Else mocha requires files first, past the hook.
Object.defineProperty(process.features, 'require_module', { value: false });
