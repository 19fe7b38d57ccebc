import type { JsonObject } from '../contracts/json.ts';
import type { Origin } from '../contracts/resource.ts';
import { withValue } from '../lib/json.ts';
import { readYaml } from '../lib/readYaml.ts';
import { UsageError } from './commandLine.ts';

export interface SetFlags {
  /** The settings that they make. */
  readonly values: JsonObject;
  /** The file, but what a flag has set is located at the flag. */
  readonly placed: (file: Origin) => Origin;
}

const COUNT = 'plugins.workers.config.count';

/** Reads `--set aggregator.port=9000`: a dotted path of config.yaml, and a value in YAML. The later of two flags counts.
 *  @param workers what --workers says, which is the last one @throws UsageError naming the flag */
export function readSetFlags(set: readonly string[], workers?: string): SetFlags {
  const flags = workers === undefined ? set : [...set, `${COUNT}=${workers}`];
  const nameOf = (path: readonly string[]): string =>
    workers !== undefined && path.join('.') === COUNT ? '--workers' : `--set ${path.join('.')}`;
  const paths: (readonly string[])[] = [];
  let values: JsonObject = {};
  for (const flag of flags) {
    // What follows it may be a secret.
    const [key = ''] = flag.split('=', 1);
    const path = key.split('.');
    if (key === flag || path.includes('') || path.includes('__proto__'))
      throw new UsageError(`--set ${key}: write it as key=value, such as --set aggregator.port=9000`);
    const { value, issues } = readYaml(flag.slice(key.length + 1), '');
    const [fault] = issues;
    if (fault !== undefined) throw new UsageError(`${nameOf(path)}: the value is not YAML: ${fault.message}`);
    paths.push(path);
    values = withValue(values, path, value ?? null);
  }
  const placed = (file: Origin): Origin => ({
    ...(file.text !== undefined && { text: file.text }),
    locate: (place) => {
      const set = paths.find((path) => path.every((key, at) => place[at] === key));
      return set === undefined ? file.locate(place) : { file: nameOf(set) };
    },
  });
  return { values, placed };
}
