import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../sources.ts';

const HERE = join(ROOT, 'test/support/kube');
const VERSION = /k8s\.io\/kubernetes v(1\.(\d+)\.\d+)$/m;
const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');

/** A Go module whose results are in the user's cache, outside of any clone, so that a new clone finds them. */
export interface GoModule {
  /** Name of its folder in the cache. */
  readonly name: string;
  readonly directory: string;
  /** File names below `directory` that decide the results. */
  readonly sources: readonly string[];
  /** That become binaries. */
  readonly packages: readonly string[];
  readonly linkerFlags: string;
}

const MODULE_FILES = ['go.mod', 'go.sum'];
export const KUBE: GoModule = {
  name: 'kube',
  directory: HERE,
  sources: [...MODULE_FILES, 'etcd/main.go', 'kube-apiserver/main.go'],
  packages: ['./etcd', './kube-apiserver'],
  linkerFlags: versionFlags(),
};
export const CLIENTS: GoModule = {
  name: 'kube-clients',
  directory: join(HERE, 'clients'),
  sources: [...MODULE_FILES, 'kubectl/main.go'],
  packages: ['helm.sh/helm/v3/cmd/helm', './kubectl'],
  // As helm's Makefile: otherwise it renders for Kubernetes 1.20, which the chart refuses.
  linkerFlags: ['Major=1', 'Minor=36'].reduce(
    (flags, fact) => `${flags} -X helm.sh/helm/v3/pkg/chartutil.k8sVersion${fact}`,
    '-s -w',
  ),
};
/** An identity provider; `go install` refuses it, because its go.mod replaces a module. */
export const DEX: GoModule = {
  name: 'dex',
  directory: join(ROOT, 'test/support/dex'),
  sources: MODULE_FILES,
  packages: ['github.com/dexidp/dex/cmd/dex'],
  linkerFlags: '-s -w',
};
export const HELM = join(folderOf(CLIENTS), 'helm');
export const KUBECTL = join(folderOf(CLIENTS), 'kubectl');
/** Nothing is compiled: custom resource definitions of other projects. */
export const CRDS: GoModule = {
  name: 'kube-crds',
  directory: join(HERE, 'crds'),
  sources: MODULE_FILES,
  packages: [],
  linkerFlags: '',
};
/** Paths within the modules of CRDS. */
export const FOREIGN_CRDS = [
  'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
  'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
];

/** What decides the content names the folder. */
export function folderOf({ name, directory, sources, linkerFlags }: GoModule): string {
  const texts = sources.map((source) => readFileSync(join(directory, source), 'utf8'));
  const facts = [process.platform, process.arch, linkerFlags, ...texts];
  const stamp = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
  return join(CACHE, 'pegboard', name, stamp);
}

/** The folder exists only once it is complete. */
export function isBuilt(module: GoModule): boolean {
  return existsSync(folderOf(module));
}

/** Skips the suite aloud where the API server, helm and kubectl have not been built. */
export function needKube(suite: Mocha.Context): void {
  if ([KUBE, CLIENTS, CRDS].every(isBuilt)) return;
  console.log(
    'SKIPPED: no kube-apiserver here; build it once with: npm run kube:build (needs Go 1.26 and about seven minutes)',
  );
  suite.skip();
}

/** Flags without which the server calls itself v0.0.0-master, which the kubeVersion of a chart refuses. */
function versionFlags(): string {
  const [, version = '', minor = ''] = VERSION.exec(readFileSync(join(HERE, 'go.mod'), 'utf8')) ?? [];
  const facts = { gitVersion: `v${version}`, gitMajor: '1', gitMinor: minor };
  const flags = Object.entries(facts).map(
    ([name, fact]) => `-X k8s.io/component-base/version.${name}=${fact}`,
  );
  return ['-s -w', ...flags].join(' ');
}
