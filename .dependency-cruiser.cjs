/** Import directions. Source: kernel/README.md, Rings. */
const BUILT_IN_PLUGINS = '^plugins/(?!contracts/|kit/)([^/]+)/';

/** The layers of the big plugins, from the bottom up: place → what its files may import of their own plugin, types included,
 *  beside that place itself and config.ts. index.ts stands above all. */
const LAYERS = {
  'auth-client': {
    'discovery/': [],
    'grants/record/': [],
    'grants/store/': ['grants/record/'],
    'grants/refresh/': ['discovery/', 'grants/record/', 'grants/store/'],
    'grants/sources/': ['discovery/', 'grants/record/', 'grants/store/', 'grants/refresh/'],
    'grants/credentials/': ['grants/record/', 'grants/store/', 'grants/sources/'],
    'flows/': ['discovery/', 'grants/record/', 'grants/store/', 'grants/refresh/'],
    'tools/': ['discovery/', 'grants/record/', 'flows/'],
    'provideSignIn.ts': ['discovery/', 'grants/', 'flows/', 'tools/'],
    'configFindings.ts': ['flows/'],
  },
  'auth-exchange': {
    'trust/': [],
    'broker/': ['trust/'],
    'assertion/': ['trust/'],
    'trustedBearer.ts': ['trust/'],
  },
  'auth-server': {
    'state/': [],
    'web/': ['state/'],
    'clients/': ['web/', 'state/'],
    'provider/': ['web/', 'state/'],
    'grants/': ['web/', 'state/', 'clients/', 'provider/'],
    'bearer/': ['web/', 'state/', 'provider/', 'grants/'],
    'endpoints/': ['web/', 'state/', 'clients/', 'provider/', 'bearer/', 'grants/'],
  },
  front: {
    'message/': [],
    'session/': [],
    'client/': ['message/'],
    'methods/': ['client/', 'message/'],
    'stateful/': ['methods/', 'client/', 'message/', 'session/'],
    'stateless/': ['methods/', 'client/', 'message/', 'session/'],
  },
  metatools: {
    'search/thesaurus/': [],
    'search/': [],
    'results/': [],
    'entry/': [],
    'tools/': ['entry/', 'results/', 'search/'],
  },
  'store-kubernetes': {
    'api/': [],
    'watch/': ['api/'],
    'store/': ['api/', 'watch/'],
    'events/': ['api/', 'store/'],
    'runs/': ['api/', 'store/'],
    'secrets/': ['api/', 'store/'],
    'status/': ['api/', 'store/'],
  },
  upstream: {
    'client/options.ts': [],
    'client/perSecond.ts': [],
    'client/backoffMs.ts': [],
    'client/wire/': ['client/perSecond.ts'],
    'client/rpc/': ['client/options.ts', 'client/wire/'],
    'client/revision/': ['client/options.ts', 'client/wire/', 'client/rpc/'],
    'client/conversation/': ['client/'],
    'definition.ts': ['client/options.ts'],
    'connection/': ['definition.ts', 'client/'],
    'own/': ['definition.ts', 'client/', 'connection/'],
    'server/': ['definition.ts', 'client/', 'connection/', 'own/'],
    'offer/': ['definition.ts', 'client/', 'connection/', 'own/', 'server/'],
  },
  workflow: {
    'definition/': ['gotpl/index.ts'],
    'run/': ['definition/'],
    'records/': ['definition/', 'run/'],
    'runs.ts': ['definition/', 'run/', 'records/'],
    'registry.ts': ['definition/', 'run/', 'runs.ts'],
    'tools/': ['definition/', 'run/', 'records/', 'runs.ts', 'registry.ts'],
  },
};
const layerRules = Object.entries(LAYERS).flatMap(([plugin, layers]) => {
  const inPlugin = (places) => `^plugins/${plugin}/(${places.join('|').replaceAll('.', '\\.')})`;
  return Object.entries(layers).map(([place, knows]) => ({
    name: `${plugin}-${place.replace(/\.ts$|\/$/, '').replaceAll('/', '-')}-is-a-layer`,
    comment: `of plugins/${plugin}, ${place} imports itself${knows.length > 0 ? ` and ${knows.join(', ')}` : ''} only`,
    severity: 'error',
    from: { path: inPlugin([place]) },
    to: { path: inPlugin(['']), pathNot: inPlugin([place, ...knows, 'config.ts']) },
  }));
});

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'types included',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'kernel-knows-no-plugin',
      severity: 'error',
      from: { path: '^kernel/' },
      to: { path: '^(plugins|test|examples)/' },
    },
    {
      name: 'kernel-packages',
      comment: 'the kernel imports tapable, ajv, yaml and commander, nothing else',
      severity: 'error',
      from: { path: '^kernel/' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: 'node_modules/(tapable|ajv|yaml|commander)/',
      },
    },
    {
      name: 'lib-is-pure',
      comment: 'kernel/lib: node builtins, yaml, lib and types of the contracts only',
      severity: 'error',
      from: { path: '^kernel/lib/' },
      to: { pathNot: '^kernel/(lib|contracts)/|node_modules/yaml/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'lib-takes-types-of-contracts',
      severity: 'error',
      from: { path: '^kernel/lib/' },
      to: { path: '^kernel/contracts/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'net-is-pure',
      comment: 'plugins/kit/net: node builtins and itself only',
      severity: 'error',
      from: { path: '^plugins/kit/net/' },
      to: { pathNot: '^plugins/kit/net/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'net-is-imported-by-name',
      comment: 'as pegboard/net, which is its index, and by no path: as third parties do',
      severity: 'error',
      from: { pathNot: '^plugins/kit/net/' },
      to: { path: '^plugins/kit/net/' },
    },
    {
      name: 'microkernel-knows-no-program',
      severity: 'error',
      from: { path: '^kernel/', pathNot: '^kernel/program/' },
      to: { path: '^kernel/program/' },
    },
    {
      name: 'contracts-have-no-behaviour',
      severity: 'error',
      from: { path: '^kernel/contracts/' },
      to: {
        pathNot: '^kernel/(contracts/|capabilities\\.ts|log\\.ts|errors\\.ts|lib/cancellation\\.ts)',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'no-plugin-imports-a-plugin',
      comment:
        'what a plugin gives to others is a contract (plugins/contracts) or shared behaviour (plugins/kit)',
      severity: 'error',
      from: { path: BUILT_IN_PLUGINS },
      to: { path: '^plugins/', pathNot: '^plugins/($1|contracts|kit)/' },
    },
    {
      name: 'contracts-are-a-ring',
      comment: 'plugins/contracts: types, tokens and constants, from pegboard and one another only',
      severity: 'error',
      from: { path: '^plugins/contracts/' },
      to: { pathNot: '^(plugins/contracts/|(dist/)?kernel/|pegboard$)', dependencyTypesNot: ['core'] },
    },
    {
      name: 'kit-knows-no-plugin',
      severity: 'error',
      from: { path: '^plugins/kit/' },
      to: { path: '^plugins/', pathNot: '^plugins/(contracts|kit)/' },
    },
    {
      name: 'plugins-use-the-public-api',
      comment: "plugins import 'pegboard', never a kernel file by path",
      severity: 'error',
      from: { path: BUILT_IN_PLUGINS },
      to: { path: '^kernel/', dependencyTypes: ['local'] },
    },
    {
      name: 'koa-only-in-listeners',
      severity: 'error',
      from: { path: '^plugins/', pathNot: '^plugins/(http|admin)/' },
      to: { path: 'node_modules/(koa|@koa)/' },
    },
    ...layerRules,
    {
      name: 'gotpl-stands-alone',
      comment: 'itself, node builtins and the dependencies in its package.json; nothing of pegboard',
      severity: 'error',
      from: { path: '^plugins/workflow/gotpl/' },
      to: { pathNot: '^plugins/workflow/gotpl/', dependencyTypesNot: ['core', 'npm'] },
    },
    {
      name: 'gotpl-is-its-index',
      comment: 'imported by its name, of which there is the index only, and by no path',
      severity: 'error',
      from: { pathNot: '^plugins/workflow/gotpl/' },
      to: { path: '^plugins/workflow/gotpl/', dependencyTypesNot: ['aliased-workspace'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js'],
    },
  },
};
