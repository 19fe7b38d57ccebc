import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { makeDirectory } from '../directory.ts';
import { ROOT } from '../sources.ts';
import { HELM } from './binaries.ts';
import type { KubeObject } from './kubeClient.ts';

export const CHART = join(ROOT, 'examples/helm');
/** A file of values for each way to install the chart. */
export const VALUE_FILES = join(CHART, 'ci');

const MAX_OUTPUT = 16 * 1024 * 1024;

/** One run of helm with files of its own. @returns its output @throws Error with what it has printed */
export async function helm(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { path } = makeDirectory();
  const own = { HELM_CACHE_HOME: path, HELM_CONFIG_HOME: path, HELM_DATA_HOME: path };
  const options = { env: { ...process.env, ...own, ...env }, maxBuffer: MAX_OUTPUT };
  const { stdout } = await promisify(execFile)(HELM, [...args], options);
  return stdout;
}

/** Options for values that are not in a file; YAML is JSON. */
export function valuesOf(values: object): readonly string[] {
  return ['--values', makeDirectory({ 'values.yaml': JSON.stringify(values) }).at('values.yaml')];
}

/** The objects that the chart makes, without asking a cluster. */
export async function rendered(...options: readonly string[]): Promise<readonly KubeObject[]> {
  return objectsIn(await helm(['template', 'pegboard', CHART, ...options]));
}

export function objectsIn(manifest: string): readonly KubeObject[] {
  return parseAllDocuments(manifest)
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null);
}
