import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import type { Plugin } from '../kernel/contracts/plugin.ts';
import { moduleAt } from './support/programs.ts';
import { ROOT, sourcesBelow, textOf } from './support/sources.ts';

const MAX_LINES = 300;
/** npm packages that the kernel may import. */
const KERNEL_PACKAGES = ['tapable', 'ajv', 'yaml', 'commander'];
/** npm packages bundled into dist/, so that the package itself has no dependencies (D84). */
const SHIPPED = [
  ...KERNEL_PACKAGES,
  ...[
    '@koa/router',
    '@modelcontextprotocol/client',
    '@opentelemetry/api',
    '@opentelemetry/core',
    '@opentelemetry/exporter-metrics-otlp-http',
    '@opentelemetry/exporter-metrics-otlp-proto',
    '@opentelemetry/exporter-prometheus',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/exporter-trace-otlp-proto',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-metrics',
    '@opentelemetry/sdk-trace',
    '@sigstore/bundle',
    '@sigstore/protobuf-specs',
    '@sigstore/verify',
    'cross-spawn',
    'forwarded-parse',
    'ioredis',
    'jose',
    'oauth4webapi',
    'jsonc-parser',
    'koa',
    'lru-cache',
    'openid-client',
    'json-p3',
    're2js',
    'smol-toml',
  ],
  ...['@huggingface/tokenizers', 'chokidar', 'stemmer', 'undici'],
];
/** npm packages that a plugin imports only if they are there, because few need them: optional peers, never bundled. */
const TYPES = '@types/node';
const OPTIONAL = ['@kubernetes/client-node', 'onnxruntime-node', 'onnxruntime-web'];
/** The package of the tree, bundled too. */
const GOTPL = '@pegboard/gotpl';
/** Files named after their role, not their export. */
const NAMED_BY_PART = ['index', 'config', 'main'];

/** Specifiers of static and dynamic imports and re-exports. */
function importsOf(path: string): string[] {
  const pattern = /^(?:import|export)\b[^'"`;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...textOf(path).matchAll(pattern)].map((match) => (match[1] ?? match[2] ?? match[3])!);
}
/** Names of exported classes, functions and constants. */
function exportedValues(path: string): readonly string[] {
  const pattern = /^export (?:abstract |async )?(?:class|function\*?|const) (\w+)/gm;
  return [...new Set([...textOf(path).matchAll(pattern)].map(([, name]) => name!))];
}
/** `SealedLog`, `sealedLog` and `SEALED_LOG` belong in sealedLog.ts. */
function fileNameFor(word: string): string {
  const name = word.replace(/^OAuth/, 'Oauth');
  if (/^[A-Z0-9_]+$/.test(name))
    return name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return name[0]!.toLowerCase() + name.slice(1);
}
/** The one value that a file exports, or a type exported beside it. */
function namesFor(path: string, value: string): readonly string[] {
  const types = [...textOf(path).matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name!);
  return [value, ...types].map(fileNameFor);
}
function packageOf(specifier: string): string {
  const [first, second] = specifier.split('/');
  return first!.startsWith('@') ? `${first!}/${second ?? ''}` : first!;
}

/** Names that kernel/index.ts exports, all or those of one file. */
function namesFrom(path?: string): readonly string[] {
  const lists = [...textOf('kernel/index.ts').matchAll(/^export (?:type )?\{([^}]*)\} from '\.\/([^']+)'/gm)];
  return lists
    .filter(([, , file]) => path === undefined || path === `kernel/${file!}`)
    .flatMap(([, names]) => names!.match(/(?!type\b)\b\w+/g) ?? []);
}
/** Built-in plugins with a file that imports one of these names from pegboard. */
function pluginsUsing(names: readonly string[]): readonly string[] {
  const users = plugins.filter((path) =>
    [...textOf(path).matchAll(/^import (?:type )?\{([^}]*)\} from 'pegboard'/gm)].some(([, list]) =>
      (list!.match(/\w+/g) ?? []).some((name) => names.includes(name)),
    ),
  );
  return [...new Set(users.map((path) => path.split('/')[1]!))];
}
/** `kernel` or `lib`, when a file of the kernel outside lib or in it imports this one; the list of exports does not count. */
function kernelUsing(path: string): readonly string[] {
  const users = kernel
    .filter((file) => file !== 'kernel/index.ts')
    .filter((file) => importsOf(file).some((specifier) => join(file, '..', specifier) === path));
  return [...new Set(users.map((file) => (file.startsWith('kernel/lib/') ? 'lib' : 'kernel')))];
}

const pluginNames = readdirSync(join(ROOT, 'plugins'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['contracts', 'kit'].includes(entry.name))
  .map(({ name }) => name);
const kernel = sourcesBelow('kernel');
const plugins = sourcesBelow('plugins');

describe('Architecture', () => {
  for (const name of pluginNames) {
    it(`plugin ${name} exports "plugin" under its folder's name, has a README and tests`, async () => {
      expect(existsSync(join(ROOT, `plugins/${name}/index.ts`)), 'index.ts').to.equal(true);
      const { plugin } = (await import(moduleAt(`plugins/${name}/index.ts`))) as {
        plugin: Plugin;
      };
      expect(plugin.name).to.equal(name);
      expect(plugin.api).to.equal(1);
      expect(existsSync(join(ROOT, `plugins/${name}/README.md`)), 'README.md').to.equal(true);
      const tests = existsSync(join(ROOT, `test/plugins/${name}`))
        ? sourcesBelow(`test/plugins/${name}`)
        : [];
      expect(
        tests.some((path) => path.endsWith('.test.ts')),
        `tests in test/plugins/${name}`,
      ).to.equal(true);
    });
  }

  it('has no default export', () => {
    const guilty = [...kernel, ...plugins, ...sourcesBelow('test')].filter((path) =>
      /^export (default\b|\{[^}]*\bas default\b)/m.test(textOf(path)),
    );
    expect(guilty).to.deep.equal([]);
  });

  it('keeps every source within 300 lines', () => {
    const long = [...kernel, ...plugins]
      .map((path) => [path, textOf(path).split('\n').length - 1] as const)
      .filter(([, lines]) => lines > MAX_LINES);
    expect(long).to.deep.equal([]);
  });

  it('keeps the microkernel within 2,250 lines of code, the kernel within 4,200, and plugins/kit/net within 640 (decisions D162, D171)', () => {
    const isCode = (line: string): boolean => !/^\s*($|\/\/|\/\*|\*)/.test(line);
    const linesOf = (paths: readonly string[]): number =>
      paths.reduce((sum, path) => sum + textOf(path).split('\n').filter(isCode).length, 0);
    expect(linesOf(sourcesBelow('plugins/kit/net'))).at.most(640);
    expect(linesOf(kernel)).at.most(4_200);
    const micro = kernel.filter((path) => !/^kernel\/(lib|contracts|program)\//.test(path));
    expect(linesOf(micro)).at.most(2_250);
  });

  it('gives each file of kernel/lib two users at least: plugins, the rest of lib, the rest of the kernel', () => {
    const lonely = kernel
      .filter((path) => path.startsWith('kernel/lib/'))
      .map((path) => ({ path, users: [...pluginsUsing(namesFrom(path)), ...kernelUsing(path)] }))
      .filter(({ users }) => users.length < 2)
      .map(({ path, users }) => `${path} is used by ${users.join() || 'none'}`);
    expect(lonely).to.deep.equal([]);
  });

  it('exports to plugins only what a built-in one or pegboard/testing uses, or the documents of plugins name', () => {
    const documents = textOf('plugins/README.md') + textOf('plugins/REFERENCE.md');
    const code = documents.match(/`+[^`]+`+/g) ?? [];
    const texts = [...code, ...sourcesBelow('test/contract').map(textOf)];
    const promised = new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []));
    const unused = namesFrom().filter((name) => !promised.has(name) && pluginsUsing([name]).length === 0);
    expect(unused).to.deep.equal([]);
  });

  it('names files after their main exports, and contracts after their roles', () => {
    const misnamed = [...kernel, ...plugins]
      .filter(
        (path) =>
          !/\/gotpl\/|^plugins\/contracts\//.test(path) && !NAMED_BY_PART.includes(basename(path, '.ts')),
      )
      .map((path) => ({ path, values: exportedValues(path) }))
      .filter(
        ({ path, values }) =>
          values.length === 1 && !namesFor(path, values[0]!).includes(basename(path, '.ts')),
      )
      .map(({ path, values }) => `${path} exports ${values[0]!} alone`);
    expect(misnamed).to.deep.equal([]);
  });

  it('keeps no state at module level, except one process-wide hook', () => {
    const pattern =
      /^(?:export )?(?:let \w+|const \w+(?:: [^=]+)? = new (?:Weak)?(?:Map|Set|Ref)(?:<.*>)?\(\))/gm;
    const found = [...kernel, ...plugins].flatMap((path) =>
      [...textOf(path).matchAll(pattern)].map(([line]) => `${path}: ${line}`),
    );
    expect(found).to.deep.equal(['kernel/loader.ts: let hooked']);
  });

  it('lets the kernel import its four packages, node and itself only', () => {
    const foreign = kernel.flatMap((path) =>
      importsOf(path)
        .filter((specifier) => !specifier.startsWith('node:'))
        .filter((specifier) => {
          if (specifier.startsWith('.')) return !join(path, '..', specifier).startsWith('kernel/');
          return !KERNEL_PACKAGES.includes(packageOf(specifier));
        })
        .map((specifier) => `${path} imports ${specifier}`),
    );
    expect(foreign).to.deep.equal([]);
  });

  it('lets a plugin import pegboard, node, packages that we ship, its own folder, contracts and the kit only', () => {
    const allowed = ['pegboard', GOTPL, ...SHIPPED, ...OPTIONAL];
    const foreign = plugins.flatMap((path) => {
      const own = path.split('/').slice(0, 2).join('/') + '/';
      return importsOf(path)
        .filter((specifier) => !specifier.startsWith('node:'))
        .filter((specifier) => {
          if (!specifier.startsWith('.')) return !allowed.includes(packageOf(specifier));
          const target = join(path, '..', specifier);
          return !target.startsWith(own) && !/^plugins\/(contracts|kit)\//.test(target);
        })
        .map((specifier) => `${path} imports ${specifier}`);
    });
    expect(foreign).to.deep.equal([]);
  });

  it('has gotpl as a workspace, which no manifest that is published asks a registry for', () => {
    const manifest = JSON.parse(textOf('package.json')) as Record<string, object>;
    const { name, private: isPrivate } = JSON.parse(textOf('plugins/workflow/gotpl/package.json')) as Record<
      string,
      unknown
    >;
    expect(name).to.equal(GOTPL);
    expect(isPrivate).to.equal(true);
    expect(manifest['workspaces']).to.deep.equal(['plugins/workflow/gotpl']);
    const asked = Object.entries(manifest).filter(
      ([key, value]) => /dependencies/i.test(key) && GOTPL in value,
    );
    expect(asked).to.deep.equal([]);
  });

  it('imports optional peers at their first use only, and does not bundle them', () => {
    const { peerDependencies, peerDependenciesMeta } = JSON.parse(textOf('package.json')) as {
      readonly peerDependencies: Readonly<Record<string, string>>;
      readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
    };
    // Of types, there is nothing to import.
    const [types, ...others] = Object.keys(peerDependencies).sort(
      (a, b) => Number(b === TYPES) - Number(a === TYPES),
    );
    expect([types, peerDependenciesMeta[TYPES]]).to.deep.equal([TYPES, { optional: true }]);
    expect(others).to.deep.equal(OPTIONAL);
    for (const name of OPTIONAL) {
      expect(peerDependenciesMeta[name]).to.deep.equal({ optional: true });
      const early = new RegExp(`^import (?!type\\b)[^;]*'${name}'`, 'm');
      expect(plugins.filter((path) => early.test(textOf(path)))).to.deep.equal([]);
      expect(textOf('.ci/bundle.mjs')).to.match(new RegExp(`external: \\[[^\\]]*'${name}'`));
    }
  });

  it('has no circle of imports in the kernel, types aside', () => {
    const valuesOf = (path: string): string[] => {
      const pattern = /^(?:import|export) (?!type\b)[^'"`;]*?\bfrom '(\.[^']+)'/gm;
      return [...textOf(path).matchAll(pattern)].map(([, specifier]) => join(path, '..', specifier!));
    };
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) throw new Error(`circle: ${[...trail, path].join(' → ')}`);
      if (done.has(path)) return;
      for (const target of valuesOf(path)) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const path of kernel) visit(path, []);
  });

  it('runs every export of the package from its source under the condition pegboard-source', () => {
    const manifest = JSON.parse(textOf('package.json')) as {
      exports: Record<string, Record<string, string>>;
    };
    const modules = Object.values(manifest.exports).filter((one) => typeof one === 'object');
    expect(modules).to.have.length(5);
    for (const { default: bundled, 'pegboard-source': source = '' } of modules) {
      expect(source).to.equal(bundled?.replace('./dist/', './').replace(/\.js$/, '.ts'));
      expect(existsSync(join(ROOT, source)), source).to.equal(true);
    }
  });

  it('names files in tests by their path from the root, because tests run from build/ too', () => {
    const programs = /^test\/(bench|clients|conformance|heavy|servers|soak)\//;
    const relative = sourcesBelow('test')
      .filter((path) => !programs.test(path) && path !== 'test/support/programs.ts')
      .filter((path) => /new URL\(['`][^,]*(?:\.\.\/|\.js['`])[^,]*, import\.meta\.url/.test(textOf(path)));
    expect(relative).to.deep.equal([]);
  });

  it('has only the planned files at the top level', () => {
    const visible = readdirSync(ROOT).filter(
      (name) => !name.startsWith('.') && !['node_modules', 'build', 'dist'].includes(name),
    );
    const planned = [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'kernel',
      'plugins',
      'schemas',
      'test',
      'examples',
    ];
    const documents = ['README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'SCALE.md'];
    expect([...planned, ...documents, 'Dockerfile']).to.include.members(visible);
  });

  it('locks no package that declares itself for newer versions of Node than 20', () => {
    const { packages } = JSON.parse(textOf('package-lock.json')) as {
      packages: Readonly<Record<string, { engines?: { node?: string } }>>;
    };
    const admits20 = (range: string): boolean =>
      range.split('||').some((part) => Number(/\d+/.exec(part)?.[0] ?? 0) <= 20);
    const newer = Object.entries(packages).filter(([, { engines }]) => !admits20(engines?.node ?? ''));
    expect(newer.map(([name]) => name)).to.deep.equal([]);
  });
});
