// Records what this version keeps, for tests of later ones, by the configuration of a former one:
// node build/test/oldState/record.js test/oldState/0.2 test/oldState/0.1
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { servePegboard } from '../support/serve.ts';
import { runEnds } from '../support/cleanup.ts';
import { until } from '../support/until.ts';
import { use } from './steps.ts';

/** What is kept expires, so the gateway that keeps it believes that it is 2066. */
const LATER = `const Real = Date;
const shift = 40 * 365 * 86_400_000;
globalThis.Date = class Date extends Real {
  constructor(...args) { super(...(args.length === 0 ? [Real.now() + shift] : args)); }
  static now() { return Real.now() + shift; }
};`;

const [, , folder, former] = process.argv;
if (folder === undefined || former === undefined)
  throw new Error('name the folder to write to, and that of a former version');
const home = resolve(folder);
cpSync(former, home, { recursive: true, filter: (path) => !/\/(?:kept|recorded\.json)$/.test(path) });
process.chdir(home);
const pegboard = await servePegboard(home, [], {
  env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(LATER)}` },
});
const token = readFileSync(join(home, 'state/local-token'), 'utf8').trim();
const recorded = await until(() => use(pegboard.url, token).catch(() => undefined), {
  what: 'the server has started',
  withinMs: 10_000,
});
await pegboard.stop();
writeFileSync(join(home, 'recorded.json'), `${JSON.stringify(recorded, null, 2)}\n`);
// A catalogue is a cache: it names the paths of this machine.
rmSync(join(home, 'state/catalogues'), { recursive: true, force: true });
// Git passes over folders of the name state.
renameSync(join(home, 'state'), join(home, 'kept'));
await runEnds();
