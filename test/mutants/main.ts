import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_FLAGS } from '../support/programs.ts';
import { ROOT } from '../support/sources.ts';
import { faultsIn } from './faultsIn.ts';
import { MUTANTS } from './mutants.ts';
import type { Mutant } from './mutants.ts';

/** As a busy machine needs: a test that runs out of time has noticed nothing. */
const TIMEOUT_MS = 60_000;
const MOCHA = ['node_modules/mocha/bin/mocha.js', '--no-package', '--bail', '--timeout', String(TIMEOUT_MS)];
const HOOKS = ['--require', 'test/support/leaks.ts', '--reporter', 'json', '--reporter-option'];
const MUTATE = ['--import', join(ROOT, '.ci/mutate.mjs')];

interface Failure {
  readonly fullTitle: string;
  readonly err: { readonly message?: string; readonly code?: string };
}

/** Runs test files from their sources, one of them changed by the mutant. @returns the first failure
 *  @throws Error if they did not run to an end, or failed for lack of time */
async function failureOf(tests: readonly string[], mutant?: Mutant): Promise<Failure | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-mutants-'));
  const report = join(folder, 'report.json');
  const flags = [...NODE_FLAGS, ...(mutant === undefined ? [] : MUTATE)];
  const child = spawn(process.execPath, [...flags, ...MOCHA, ...HOOKS, `output=${report}`, ...tests], {
    cwd: ROOT,
    env: { ...process.env, PEGBOARD_MUTANT: JSON.stringify(mutant) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  await once(child, 'close');
  try {
    const { failures } = JSON.parse(readFileSync(report, 'utf8')) as {
      readonly failures: readonly Failure[];
    };
    const [failure] = failures;
    if (failure?.err.code === 'ERR_MOCHA_TIMEOUT') throw new Error(`${failure.fullTitle} took too long`);
    return failure;
  } catch (error) {
    throw new Error(`no result of ${tests.join(' ')}\n${output}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [word = ''] = process.argv.slice(2);
const chosen = MUTANTS.filter(({ file }) => file.includes(word));
const faults = chosen.length === 0 ? [`no file is named so: ${word}`] : chosen.flatMap(faultsIn);
for (const fault of faults) console.log(`${fault}; see test/mutants/mutants.ts`);
if (faults.length > 0) process.exit(1);
const failure = await failureOf([...new Set(chosen.flatMap(({ tests }) => tests))]);
if (failure !== undefined) {
  console.log(`fails without a mutant: ${failure.fullTitle}: ${failure.err.message ?? ''}`);
  process.exit(1);
}
let died = 0;
for (const mutant of chosen) {
  const { does, file, tests } = mutant;
  const noticed = await failureOf(tests, mutant);
  if (noticed !== undefined) died += 1;
  console.log(`${noticed === undefined ? 'LIVES' : 'died '} ${file}: ${does}`);
  console.log(`      ${noticed === undefined ? `past ${tests.join(' ')}` : `at ${noticed.fullTitle}`}`);
}
console.log(`${died} of ${chosen.length} died`);
process.exitCode = died === chosen.length ? 0 : 1;
