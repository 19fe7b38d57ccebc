import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { tarball } from '../support/packed.ts';
import { install } from '../support/packages.ts';
import { textOf } from '../support/sources.ts';

const run = promisify(execFile);
const COMPILERS = ['5.4.5', '5.9.3', '6.0.3', '7.0.2'];
const MODULES = {
  node16: { module: 'node16', moduleResolution: 'node16' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

/** The plugin of plugins/README.md, as TypeScript, and each public entry. */
function sources(): Readonly<Record<string, string>> {
  const [, plugin = ''] =
    /```js\n\/\/ plugins\/greeter\.mjs\n([^]*?)```/.exec(textOf('plugins/README.md')) ?? [];
  const typed = plugin
    .replace('import { STAGE,', 'import { definePlugin, STAGE,')
    .replace(/\/\*\* @type .*\n/, '')
    .replace('export const plugin = {', 'export const plugin = definePlugin<{ readonly greeting: string }>({')
    .replace(/\};\s*$/, '});\n');
  return {
    'greeter.ts': typed,
    'entries.ts': ['', '/contracts', '/kit', '/net', '/testing']
      .map((entry, at) => `export * as entry${at} from 'pegboard${entry}';\n`)
      .join(''),
  };
}

describe('e2e: the types of the package', function () {
  this.timeout(300_000);
  let folder: Directory;

  before(async () => {
    folder = makeDirectory({ 'package.json': '{ "type": "module" }', ...sources() });
    const compilers = COMPILERS.map((version) => `typescript-${version}@npm:typescript@${version}`);
    await install(folder.path, [tarball(), '@types/node@20.19.43', '@types/mocha@10.0.10', ...compilers]);
  });

  for (const version of COMPILERS)
    for (const [name, options] of Object.entries(MODULES))
      it(`compile with TypeScript ${version} and ${name}, declarations of packages checked`, async () => {
        const compilerOptions = {
          ...options,
          target: 'es2022',
          strict: true,
          noEmit: true,
          skipLibCheck: false,
        };
        const file = `tsconfig-${version}-${name}.json`;
        folder.write(file, JSON.stringify({ compilerOptions, files: ['greeter.ts', 'entries.ts'] }));
        const compiler = join(folder.path, `node_modules/typescript-${version}/bin/tsc`);
        const said = await run(process.execPath, [compiler, '-p', folder.at(file)]).then(
          () => '',
          (error: unknown) => (error as { readonly stdout: string }).stdout,
        );
        expect(said).equal('');
      });
});
