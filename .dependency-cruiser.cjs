/** Import directions. Source: architecture.md 3.13. */
const BUILT_IN_PLUGINS = '^plugins/([^/]+)/';

/** Layers of plugins/workflow, the lowest first; above them stands index.ts. */
const WORKFLOW_LAYERS = [
  'config.ts',
  'gotpl/',
  'definition/',
  'run/',
  'records/',
  'runs.ts',
  'registry.ts',
  'tools/',
];
const workflowRules = [
  ...WORKFLOW_LAYERS.map((layer, at) => ({
    name: `workflow-${layer.replace(/\W.*/, '')}-knows-lower-layers`,
    comment: 'a layer imports itself and lower ones; an import of a type counts too',
    severity: 'error',
    from: { path: inWorkflow([layer]) },
    to: { path: inWorkflow(['']), pathNot: inWorkflow(WORKFLOW_LAYERS.slice(0, at + 1)) },
  })),
  {
    name: 'workflow-gotpl-stands-alone',
    comment: 'the template engine imports itself, node builtins and npm packages, and not pegboard',
    severity: 'error',
    from: { path: inWorkflow(['gotpl/']) },
    to: { pathNot: `${inWorkflow(['gotpl/'])}|^node_modules/`, dependencyTypesNot: ['core'] },
  },
  {
    name: 'no-circle-in-workflow',
    comment: 'an import of a type counts too',
    severity: 'error',
    from: { path: inWorkflow(['']) },
    to: { circular: true },
  },
];
function inWorkflow(places) {
  return `^plugins/workflow/(${places.join('|').replaceAll('.', '\\.')})`;
}

/** What the files of a folder may import of their own plugin, types included: that folder, config.ts, contract.ts and the
 *  folders `knows`. */
function layer(plugin, folder, knows = []) {
  const allowed = [folder, ...knows].map((name) => `${name}/`);
  return {
    name: `${plugin}-${folder.replaceAll('/', '-')}-knows-its-layers`,
    comment: `of plugins/${plugin}, ${folder} imports ${['itself', ...knows].join(', ')} only`,
    severity: 'error',
    from: { path: `^plugins/${plugin}/${folder}/` },
    to: {
      path: `^plugins/${plugin}/`,
      pathNot: `^plugins/${plugin}/(${allowed.join('|')}|config\\.ts$|contract\\.ts$)`,
    },
  };
}

/** From the bottom up. */
const METATOOLS_LAYERS = [
  layer('metatools', 'search/thesaurus'),
  layer('metatools', 'search'),
  layer('metatools', 'results'),
  layer('metatools', 'entry'),
  layer('metatools', 'tools', ['entry', 'results', 'search']),
];
const FRONT_LAYERS = [
  layer('front', 'message'),
  layer('front', 'session'),
  layer('front', 'client', ['message']),
  layer('front', 'methods', ['client', 'message']),
  layer('front', 'stateful', ['methods', 'client', 'message', 'session']),
  layer('front', 'stateless', ['methods', 'client', 'message']),
];
const LAYERED_WITHOUT_CIRCLES = {
  name: 'no-circular-in-layered-plugins',
  comment: 'types included',
  severity: 'error',
  from: { path: '^plugins/(metatools|front)/' },
  to: { circular: true },
};

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'kernel-knows-no-plugin',
      severity: 'error',
      from: { path: '^kernel/' },
      to: { path: '^(plugins|test|examples)/' },
    },
    {
      name: 'kernel-packages',
      comment: 'the kernel imports tapable, chokidar, ajv and yaml, nothing else',
      severity: 'error',
      from: { path: '^kernel/' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: 'node_modules/(tapable|chokidar|ajv|yaml)/',
      },
    },
    {
      name: 'lib-is-pure',
      comment: 'kernel/lib: node builtins, lib and types of the contracts only',
      severity: 'error',
      from: { path: '^kernel/lib/' },
      to: { pathNot: '^kernel/(lib|contracts)/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'lib-takes-types-of-contracts',
      severity: 'error',
      from: { path: '^kernel/lib/' },
      to: { path: '^kernel/contracts/', dependencyTypesNot: ['type-only'] },
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
        pathNot:
          '^kernel/(contracts/|capabilities\\.ts|hooks\\.ts|log\\.ts|errors\\.ts|lib/cancellation\\.ts)',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'plugins-know-contracts-of-one-another',
      comment: 'a plugin imports contract.ts of another plugin and nothing else of it',
      severity: 'error',
      from: { path: BUILT_IN_PLUGINS },
      to: { path: '^plugins/', pathNot: '^plugins/($1/|[^/]+/contract\\.ts$)' },
    },
    {
      name: 'contracts-know-contracts',
      comment: 'contract.ts imports pegboard and contracts only',
      severity: 'error',
      from: { path: '^plugins/[^/]+/contract\\.ts$' },
      to: { path: '^plugins/', pathNot: '^plugins/[^/]+/contract\\.ts$' },
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
    ...workflowRules,
    ...METATOOLS_LAYERS,
    ...FRONT_LAYERS,
    LAYERED_WITHOUT_CIRCLES,
    // plugins/upstream: definition, config, contract < wire < rpc < server < offer < index, types included.
    {
      name: 'upstream-root-knows-no-layer',
      severity: 'error',
      from: { path: '^plugins/upstream/(definition|config|contract)\\.ts$' },
      to: { path: '^plugins/upstream/(wire/|rpc/|server/|offer/|index\\.ts)' },
    },
    {
      name: 'upstream-wire-is-below-rpc',
      severity: 'error',
      from: { path: '^plugins/upstream/wire/' },
      to: { path: '^plugins/upstream/(rpc/|server/|offer/|index\\.ts)' },
    },
    {
      name: 'upstream-rpc-is-below-server',
      severity: 'error',
      from: { path: '^plugins/upstream/rpc/' },
      to: { path: '^plugins/upstream/(server/|offer/|index\\.ts)' },
    },
    {
      name: 'upstream-server-is-below-offer',
      severity: 'error',
      from: { path: '^plugins/upstream/server/' },
      to: { path: '^plugins/upstream/(offer/|index\\.ts)' },
    },
    {
      name: 'upstream-offer-is-below-index',
      severity: 'error',
      from: { path: '^plugins/upstream/offer/' },
      to: { path: '^plugins/upstream/index\\.ts' },
    },
    {
      name: 'no-circle-in-upstream',
      comment: 'no-circular lets circles of types pass; here they count',
      severity: 'error',
      from: { path: '^plugins/upstream/' },
      to: { circular: true },
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
