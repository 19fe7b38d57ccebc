// Preloaded (`--import`) to run TypeScript as it is: Node 22.18 and newer can, older ones take its types out as they load it.
import { register } from 'node:module';

if (process.features.typescript === undefined) {
  process.setSourceMapsEnabled(true);
  register('./stripTypes.mjs', import.meta.url);
  // Else mocha requires files first, and reports of one that fails that it is not JavaScript.
  Object.defineProperty(process.features, 'require_module', { value: false });
}
