import { readFile } from 'node:fs/promises';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { parse } from 'yaml';
import { editYaml } from '../../kit/files/editYaml.ts';
import type { PackageSource } from '../../kit/packages/packageIn.ts';
import { versionOrder } from '../../kit/packages/versionOrder.ts';
import { packageOf, pinnedSpec } from '../add/withPin.ts';
import { optionsOf } from '../commonOptions.ts';
import { confirm } from '../confirm.ts';
import { SERVER_KIND } from '../definitions/definitionKinds.ts';
import { fileOf } from '../definitions/fileOf.ts';
import { Failure } from '../failure.ts';
import { replaceText } from '../files.ts';
import { progressTo } from '../progressTo.ts';
import { verb } from '../verb.ts';
import { declarationDiff } from './declarationDiff.ts';
import { declarationsOf } from './declarationsOf.ts';
import { lookedUp } from './lookedUp.ts';
import { otherBuildOf } from './otherBuildOf.ts';
import { planOwnUpgrade } from './planOwnUpgrade.ts';

interface UpgradeOptions {
  readonly plan?: string | true;
  readonly to?: string;
  readonly static?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export const upgrade = verb({
  name: 'upgrade',
  summary: 'pin a server to a newer version of its package, after a look at what changes',
  parameters: [{ name: '[server]', description: 'name of the server; absent with --plan' }],
  options: [
    {
      flags: '--plan [version]',
      description: 'say what another version of Pegboard itself would change here (default: the newest)',
    },
    { flags: '--to <version>', description: 'another version than the newest' },
    { flags: '--static', description: 'start nothing; do not compare what the versions declare' },
    { flags: '--trusted-root <file>', description: 'keys of Sigstore in place of those shipped' },
    { flags: '-y, --yes', description: 'write without asking' },
    { flags: '--dry-run', description: 'show what would change, and write nothing' },
  ],
  examples: [
    'pegboard upgrade --plan',
    'pegboard upgrade git',
    'pegboard upgrade git --to 2026.1.14 --dry-run',
  ],
  run: async (invocation) => {
    const { directory, terminal } = invocation;
    const [name] = invocation.args;
    const { to, static: isStatic, dryRun, yes, plan } = optionsOf<UpgradeOptions>(invocation);
    if (plan !== undefined) {
      if (name !== undefined)
        throw new Failure('--plan is about Pegboard itself; name no server, or leave it out');
      return planOwnUpgrade(invocation, plan === true ? 'latest' : plan);
    }
    if (name === undefined) throw new Failure('name a server; --plan is about Pegboard itself');
    const say = progressTo(invocation);
    const file = await fileOf(directory, SERVER_KIND, name);
    if (file === undefined)
      throw new Failure(`no file in ${directory} defines a server ${name}; see: pegboard list servers`);
    const text = await readFile(file, 'utf8');
    const { path, spec } = specIn(text, file);
    const named = packageOf(spec);
    if (named === undefined)
      throw new Failure(
        `${name} runs no package of npm, PyPI or an image registry, so it has no version here`,
      );
    const wanted = to ?? (named.registry === 'oci' ? named.version : 'latest');
    const { found, facts, provenance } = await lookedUp(named, invocation, wanted);
    const { source } = found;
    const former = spec['source'] as PackageSource | undefined;
    if (former?.integrity === source.integrity && former.version === source.version) {
      say(`${name} is pinned to ${source.version} already`);
      return 0;
    }
    const running = named.isExact ? named.version : former?.version;
    const isBack = running !== undefined && versionOrder(running, source.version) > 0;
    if (to === undefined && named.registry !== 'oci' && isBack) {
      say(
        `${name} runs ${running}, and the newest version of the registry is ${source.version}, which is older; --to ${source.version} goes back to it`,
      );
      return 0;
    }
    say(facts);
    const otherBuild = await otherBuildOf(named, provenance, { invocation, former });
    if (otherBuild !== undefined) {
      say(`warning: ${otherBuild}`);
      if (yes === true)
        throw new Failure(
          'nothing was written: another may have published it; look at the package, then upgrade without --yes',
        );
    }
    if (former?.version === source.version)
      say(`warning: the registry has another content for ${source.version} than what was pinned`);
    const next = pinnedSpec(spec, named, source);
    if (isStatic !== true) {
      say('starting both versions beside each other, to compare what they declare');
      const [before, after] = await declarationsOf({ before: spec, after: next }, invocation);
      if (before.size === 0) say('the version that runs now declares no tools, or does not start');
      const lines = declarationDiff(before, after);
      terminal.out(lines.map((line) => `${line}\n`).join(''));
      if (lines.length === 0) say('its tools are declared as before');
    }
    if (dryRun === true) return 0;
    const from = named.version ?? 'any version';
    if (!(await confirm(invocation, `Pin ${name} to ${source.version} in place of ${from}?`))) {
      say('nothing was written');
      return 1;
    }
    await replaceText(file, text, await editYaml(text, path, next));
    say(`pinned ${name} to ${source.version} in ${file}`);
    return 0;
  },
});

/** The spec in a file, which may be all of it. @throws Failure */
function specIn(text: string, file: string): { readonly path: readonly string[]; readonly spec: JsonObject } {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw new Failure(`${file} does not hold one definition; write the version into it by hand`);
  }
  if (!isObject(value)) throw new Failure(`${file} holds no definition`);
  const { spec } = value;
  return isObject(spec) ? { path: ['spec'], spec } : { path: [], spec: value };
}
