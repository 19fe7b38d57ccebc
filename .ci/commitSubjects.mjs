// Checks the subjects of commits newer than START: `area: imperative sentence`, at most 72 characters.
// An area is a folder of that commit (`kernel`, `plugins/upstream`, `test/e2e`) or one of AREAS; several are joined by commas.
import { spawnSync } from 'node:child_process';

const START = '439c76e757acca3926876f4c4bf835243df02aa7';
const MAX_LENGTH = 72;
/** Areas without a folder of that name: documents at the root, and what builds, checks and packs the project. */
const AREAS = ['readme', 'changelog', 'contributing', 'build', 'package'];
/** A first word that ends like these is a past tense or a participle, unless it is one of the verbs. */
const NOT_IMPERATIVE = /(?:ed|ing)$/;
const IMPERATIVE = ['bring', 'embed', 'exceed', 'feed', 'need', 'proceed', 'seed', 'shed', 'speed', 'string'];

function git(...args) {
  const { status, stdout } = spawnSync('git', ['-C', new URL('..', import.meta.url).pathname, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** What git lists; undefined where there is nothing to check: a tarball, or a history that START is not part of. */
function newCommits() {
  if (git('rev-parse', '--show-prefix') !== '') return undefined;
  // A shallow clone without START holds newer commits only.
  if (git('cat-file', '-e', `${START}^{commit}`) !== undefined) return `${START}..HEAD`;
  return git('rev-parse', '--is-shallow-repository') === 'true' ? 'HEAD' : undefined;
}

function isArea(area, commit) {
  return AREAS.includes(area) || git('cat-file', '-t', `${commit}:${area}`) === 'tree';
}

function faultsOf(commit, subject) {
  const [, areas, sentence] = /^([^\s:][^:]*): (\S.*)$/.exec(subject) ?? [];
  if (areas === undefined) return ['write "area: imperative sentence"'];
  const [verb] = sentence.split(' ');
  return [
    ...([...subject].length > MAX_LENGTH ? [`${[...subject].length} characters, at most ${MAX_LENGTH}`] : []),
    ...areas
      .split(', ')
      .filter((area) => !isArea(area, commit))
      .map((area) => `area "${area}" is not a folder, nor one of ${AREAS.join(', ')}`),
    ...(NOT_IMPERATIVE.test(verb) && !IMPERATIVE.includes(verb) ? [`"${verb}" is not an imperative`] : []),
    ...(sentence.endsWith('.') ? ['ends in a full stop'] : []),
  ];
}

const range = newCommits();
const lines = range === undefined ? '' : (git('log', '--no-merges', '--format=%h %s', range) ?? '');
for (const line of lines.split('\n').filter((one) => one !== '')) {
  const [commit] = line.split(' ', 1);
  const faults = faultsOf(commit, line.slice(commit.length + 1));
  if (faults.length === 0) continue;
  console.log(`${line}\n  ${faults.join('; ')}`);
  process.exitCode = 1;
}
