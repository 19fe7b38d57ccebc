// Bundles what ships into dist/: the kernel, one file per plugin, the libraries. Fewer and smaller files start faster (D84).
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { rolldown } from 'rolldown';
import { sbomOf } from './sbom.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const PROGRAMS = ['kernel/program/pegboard', 'plugins/cassettes/replay'];
/** The modules of the package's `exports`, and what is imported by name at run time: plugins, and the contract suites' own plugins. */
const MODULES = [
  'kernel/index',
  'plugins/contracts',
  'plugins/kit',
  'plugins/kit/net/index',
  ...['index', 'callers', 'messages', 'notes'].map((name) => `test/contract/${name}`),
  ...foldersIn('plugins')
    .map((name) => `plugins/${name}/index`)
    .filter((name) => existsSync(join(root, `${name}.ts`))),
];
/** Workers' own scripts, beside the plugins that start them: they load nothing of the kernel, so they start fast and small. */
const WORKERS = ['plugins/metatools/results/worker.ts', 'plugins/search-semantic/worker.ts'];
const OUTPUT = {
  format: 'esm',
  // V8 keeps each script in memory, with one character beyond Latin-1 in twice as many bytes.
  charset: 'ascii',
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
};
const UNDICI_ID = '\0undici';
/** All of undici that plugins/upstream and plugins/cli use; with fetch, caches and web sockets it takes 6 MB more memory. */
const UNDICI = `
export { default as Agent } from ${JSON.stringify(join(root, 'node_modules/undici/lib/dispatcher/agent.js'))};
export { default as Pool } from ${JSON.stringify(join(root, 'node_modules/undici/lib/dispatcher/pool.js'))};
export { default as buildConnector } from ${JSON.stringify(join(root, 'node_modules/undici/lib/core/connect.js'))};
`;
const SHIMS_ID = '\0shims';
/** The smaller of the SDK's two validators of results: the other one is a second copy of ajv, 225 KB that each verb would load. */
const SHIMS = `
export const CORS_IS_POSSIBLE = false;
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
`;
const HTTP_ID = '\0http';
/** An import of `node:http` reads all that it exports, and `WebSocket` loads Node's own undici: 6 MB, and 20 ms at each start (Node.js 22, 24). */
const HTTP = `
const http = process.getBuiltinModule('node:http');
export default http;
export const { Agent, METHODS, STATUS_CODES, createServer, request } = http;
`;
const OTEL_NODE = 'node_modules/@opentelemetry/resources/build/src/detectors/platform/node';
/** No detector that asks for it is used, and it has a file for each platform. */
const MACHINE_ID = 'exports.getMachineId = async () => undefined;';
const VIRTUAL = { undici: UNDICI_ID, '@modelcontextprotocol/client/_shims': SHIMS_ID };
const OURS = {
  pegboard: 'kernel/index.ts',
  'pegboard/contracts': 'plugins/contracts.ts',
  'pegboard/kit': 'plugins/kit.ts',
  'pegboard/net': 'plugins/kit/net/index.ts',
  // Its other build requires its parts in a way that a bundler cannot follow.
  'jsonc-parser': 'node_modules/jsonc-parser/lib/esm/main.js',
};

function foldersIn(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

const NODE_TYPES = '/// <reference types="node" />\n';
/** Validators of our schemas as code, for kernel/config/precompiled.ts. */
async function precompiled() {
  const { AJV_OPTIONS } = await import(new URL('../build/kernel/config/ajvOptions.js', import.meta.url));
  const { readSchema } = await import(new URL('../build/kernel/lib/readSchema.js', import.meta.url));
  const ajv = new Ajv2020({ ...AJV_OPTIONS, code: { source: true, esm: true } });
  const names = ['config', 'nothing', 'protocol', ...['config', 'kinds'].flatMap(schemasIn)];
  const exportNames = names.map((name, at) => {
    const schema = JSON.parse(JSON.stringify(readSchema(name)), (key, value) =>
      key === 'description' && typeof value === 'string' ? undefined : value,
    );
    ajv.addSchema({ ...schema, $id: name });
    return [`schema_${at}`, name];
  });
  const code = standalone.default(ajv, Object.fromEntries(exportNames));
  const entries = exportNames.map(([exported, name]) => `${JSON.stringify(name)}: ${exported}`);
  return `${code}\nexport const PRECOMPILED = { ${entries.join(', ')} };\n`;
}

function schemasIn(folder) {
  const files = readdirSync(join(root, 'schemas', folder));
  return files.map((file) => `${folder}/${file.replace('.schema.json', '')}`);
}

/** Removes what an earlier bundle left; declarations are tsc's. */
function removeScripts(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeScripts(path);
    else if (/\.js(\.map)?$/.test(entry.name)) rmSync(path);
  }
}

/** The folders of the packages that the modules are from. */
function packagesOf(modules) {
  return new Set(
    modules.flatMap((module) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? []),
  );
}

/** The names, versions and licence texts of the bundled packages: their licences ask for it. */
function licencesOf(folders) {
  const texts = [...folders]
    .sort((a, b) => (basename(a) < basename(b) ? -1 : 1))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
      return `${name} ${version} (${license})\n${text}`;
    });
  return `Pegboard contains these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** Names the types of Node in each public entry: since TypeScript 6 no package of types is there by itself. */
function nameNodeTypes() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const { types } of Object.values(exports)) {
    if (types === undefined) continue;
    const text = readFileSync(join(root, types), 'utf8');
    if (!text.startsWith(NODE_TYPES)) writeFileSync(join(root, types), NODE_TYPES + text);
  }
}

/** Keeps declarations that no export of the package reaches out of the tarball. */
function hidePrivateTypes() {
  const kit = join(dist, 'plugins/kit');
  const reached = new Set();
  const reach = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(
      /(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g,
    ))
      reach(join(dirname(path), `${name}.d.ts`));
  };
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const { types } of Object.values(exports)) if (types !== undefined) reach(join(root, types));
  const all = readdirSync(kit, { recursive: true }).filter((path) => path.endsWith('.d.ts'));
  const hidden = all.filter((path) => !reached.has(join(kit, path)));
  writeFileSync(join(kit, '.npmignore'), hidden.map((path) => `/${path}\n`).join(''));
}

async function bundledWorker(script) {
  const build = await rolldown({ input: join(root, script), cwd: root, platform: 'node' });
  const folder = script.split('/').slice(0, 2).join('/');
  const { output } = await build.write({ file: join(dist, folder, 'worker.js'), ...OUTPUT });
  await build.close();
  return output;
}

export async function bundle() {
  const replaced = {
    [UNDICI_ID]: UNDICI,
    [SHIMS_ID]: SHIMS,
    [HTTP_ID]: HTTP,
    [join(root, OTEL_NODE, 'machine-id/getMachineId.js')]: MACHINE_ID,
    [join(root, 'kernel/config/precompiled.ts')]: await precompiled(),
  };
  const input = Object.fromEntries([...PROGRAMS, ...MODULES].map((name) => [name, join(root, `${name}.ts`)]));
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    external: ['pegboard/package.json', '@kubernetes/client-node', 'onnxruntime-node', 'onnxruntime-web'],
    preserveEntrySignatures: 'allow-extension',
    // depd, a part of koa, makes functions by eval.
    checks: { eval: false },
    plugins: [
      {
        name: 'replacements',
        resolveId: (id, _, { kind }) =>
          kind === 'import-statement' && /^(node:)?http$/.test(id)
            ? HTTP_ID
            : (VIRTUAL[id] ?? (OURS[id] && join(root, OURS[id]))),
        load: (id) => replaced[id] && { code: replaced[id], moduleType: 'js' },
      },
    ],
  });
  removeScripts(dist);
  const { output } = await build.write({
    dir: dist,
    ...OUTPUT,
    entryFileNames: '[name].js',
    // Code that a plugin loads later lies beside it.
    chunkFileNames: ({ facadeModuleId, name }) => {
      const plugin = /\/(plugins\/[^/]+)\//.exec(facadeModuleId ?? '')?.[1];
      return `${plugin ?? 'kernel'}/${name}.js`;
    },
    codeSplitting: {
      groups: [
        // One copy of every capability token (D27), and what most plugins load anyway.
        {
          name: 'microkernel',
          test: /\/(kernel\/(?!program\/|index\.ts)|plugins\/(contracts\/|kit\/(?!files\/|net\/|oauth\/|processes\/processTree|provenance\/|tls\/)|kit\/oauth\/(oauthError|openDownstream|signInCall)))/,
          priority: 2,
        },
        {
          name: 'settings',
          test: /\/node_modules\/(yaml|ajv|fast-[^/]+|json-schema-traverse|tapable)\//,
          priority: 1,
        },
        // Small modules that need no other chunk, so that no cycle begins: on their own they would be many files.
        {
          name: 'oauth',
          test: /\/(kit\/oauth|auth-server|auth-exchange)\//,
          minShareCount: 2,
          maxModuleSize: 2_000,
        },
        { name: 'files', test: /\/kit\/files\//, minShareCount: 2, maxModuleSize: 2_000 },
        { name: 'verbs', test: /\/plugins\/cli\//, minShareCount: 2, maxModuleSize: 1_500 },
      ],
      includeDependenciesRecursively: false,
    },
  });
  await build.close();
  const there = WORKERS.filter((script) => existsSync(join(root, script)));
  const workers = await Promise.all(there.map(bundledWorker));
  const modules = [...output, ...workers.flat()].flatMap((chunk) =>
    chunk.type === 'chunk' ? Object.keys(chunk.modules) : [],
  );
  const packages = packagesOf(modules);
  writeFileSync(join(dist, 'THIRD_PARTY_LICENSES.txt'), licencesOf(packages));
  writeFileSync(join(dist, 'sbom.cdx.json'), sbomOf(root, packages));
  for (const program of PROGRAMS) chmodSync(join(dist, `${program}.js`), 0o755);
  nameNodeTypes();
  hidePrivateTypes();
}
