import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { vaultKeys } from '../../plugins/kit/vault/vaultKeys.ts';
import { openLog } from '../../plugins/vault-file/openLog.ts';
import { diskPlace } from '../../plugins/vault-file/diskPlace.ts';
import { FileVault } from '../../plugins/vault-file/fileVault.ts';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { captureLog } from '../support/log.ts';
import { LIMITS, contentOf } from '../plugins/vault-file/support.ts';
import { programAt } from '../support/programs.ts';

const KILLS = 60;
/** Runs at the same time, each with its own state directory; the start of a process takes most of the time. */
const LANES = 4;
const CHILD = programAt('test/plugins/vault-file/killedVault.ts');
const BUILD = fileURLToPath(new URL('../../', import.meta.url));

/** Allowed values of a key: the last one acknowledged, and all begun after it. */
type Possible = Map<string, { readonly id: number; readonly text: string | undefined }[]>;

/** The compiled plugin with contracts and kit, and a `pegboard` of two modules: the complete one doubles the start time of a process. */
function smallInstallation(): string {
  const { at, write } = makeDirectory();
  for (const folder of ['vault-file', 'contracts', 'kit'])
    cpSync(`${BUILD}plugins/${folder}`, at(`plugins/${folder}`), { recursive: true });
  mkdirSync(at('node_modules/pegboard'), { recursive: true });
  write('package.json', '{"type":"module"}');
  write('node_modules/pegboard/package.json', '{"type":"module","exports":"./index.js"}');
  const modules = ['capabilities.js', 'errors.js'];
  write(
    'node_modules/pegboard/index.js',
    modules.map((one) => `export * from '${BUILD}kernel/${one}';\n`).join(''),
  );
  return at('plugins/vault-file/openingVault.js');
}

/** Starts the child, kills it after some acknowledgements, and tracks its reports. */
async function killOnce(module: string, state: string, seed: number, possible: Possible): Promise<number> {
  const child = spawn(process.execPath, [...CHILD, module, state, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Certificates named in the environment would be parsed by each of them.
    env: {},
  });
  defer(() => child.kill('SIGKILL'));
  const killAfter = 1 + ((seed * 7919) % 40);
  let acknowledged = 0;
  createInterface(child.stdout).on('line', (line) => {
    const [what, id, key = '', size] = line.split(' ');
    const states = possible.get(key) ?? [{ id: -1, text: undefined }];
    possible.set(key, states);
    if (what === 'begin') {
      const text = size === 'none' ? undefined : `${seed}:${id ?? ''} ${'x'.repeat(Number(size))}`;
      states.push({ id: Number(id), text });
      return;
    }
    states.splice(
      0,
      states.findIndex((one) => one.id === Number(id)),
    );
    acknowledged += 1;
    if (acknowledged === killAfter) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal).to.equal('SIGKILL');
  return acknowledged;
}

async function verify(state: string, possible: Possible): Promise<void> {
  const log = captureLog();
  const place = await diskPlace(`${state}/vault`);
  const sealed = await openLog({ place, ring: vaultKeys(state), log, limits: () => LIMITS });
  const content = await contentOf(new FileVault(sealed, () => LIMITS));
  await sealed.close();
  for (const [key, states] of possible) {
    expect(
      states.map(({ text }) => text),
      key,
    ).to.include(content[key]);
    possible.set(key, [{ id: -1, text: content[key] as string | undefined }]);
  }
  expect(log.having('', 'error')).to.deep.equal([]);
}

describe('plugins/vault-file: kill -9', () => {
  it(`${KILLS} times during writes and compactions loses no acknowledged write`, async function () {
    this.timeout(90_000);
    const module = smallInstallation();
    let total = 0;
    const lane = async (number: number, { path }: Directory): Promise<void> => {
      const possible: Possible = new Map();
      for (let round = 0; round < KILLS / LANES; round += 1) {
        const acknowledged = await killOnce(module, path, 1 + number * 1000 + round, possible);
        await verify(path, possible);
        total += acknowledged;
      }
      expect(readdirSync(`${path}/vault`).filter((name) => name.includes('damaged'))).to.deep.equal([]);
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number, makeDirectory())));
    expect(total).to.be.greaterThan(KILLS);
  });
});
