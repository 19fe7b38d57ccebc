import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../sources.ts';
import { until } from '../until.ts';
import type { ControlPlane } from './controlPlane.ts';
import type { KubeObject } from './kubeClient.ts';

const FOLDER = join(ROOT, 'schemas/crd');
const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const installed = new WeakMap<ControlPlane, Promise<void>>();

/** Installs schemas/crd, once for a control plane: the API server holds the first create after that for 2 s. */
export function installCrds(plane: ControlPlane): Promise<void> {
  const known = installed.get(plane) ?? install(plane);
  installed.set(plane, known);
  return known;
}

export function crdFiles(): readonly KubeObject[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => parse(readFileSync(join(FOLDER, name), 'utf8')) as KubeObject);
}

async function install({ admin }: ControlPlane): Promise<void> {
  for (const crd of crdFiles()) await admin.create(PATH, crd);
  for (const { metadata } of crdFiles())
    await until(async () => isEstablished(await admin.get(`${PATH}/${metadata.name}`)), {
      what: `${metadata.name} to be established`,
    });
}

function isEstablished({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some(({ type, status: is }) => type === 'Established' && is === 'True');
}
