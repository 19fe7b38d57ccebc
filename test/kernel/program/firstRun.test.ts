import { chmodSync, chownSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { loadSettings } from '../../../kernel/config/settings.ts';
import { createMissingConfig, openStateDirectory, warnOfLosses } from '../../../kernel/program/firstRun.ts';
import { warnOfOpenState } from '../../../plugins/kit/files/warnOfOpenKeys.ts';
import { makeDirectory } from '../../support/directory.ts';
import { captureLog } from '../../support/log.ts';

describe('First run', () => {
  it('creates a missing directory with a commented config.yaml that is valid, and says so', async () => {
    const directory = makeDirectory();
    const log = captureLog();
    createMissingConfig(directory.at('new'), log);
    expect(log.having('created a configuration directory')[0]?.data).to.deep.equal({
      directory: directory.at('new'),
    });
    expect(statSync(directory.at('new/mcpservers')).isDirectory()).to.equal(true);
    expect((await loadSettings(directory.at('new'), () => [])).issues).to.deep.equal([]);
  });

  it('has a template that stays valid when it is uncommented', async () => {
    const directory = makeDirectory();
    createMissingConfig(directory.at('new'), captureLog());
    const text = readFileSync(directory.at('new/config.yaml'), 'utf8');
    const section = text.slice(text.indexOf('# aggregator:'));
    directory.write('new/config.yaml', section.replace(/^# ?/gm, ''));
    expect((await loadSettings(directory.at('new'), () => [])).issues).to.deep.equal([]);
  });

  it('leaves an existing directory alone', () => {
    const directory = makeDirectory({ 'x.yaml': '' });
    const log = captureLog();
    createMissingConfig(directory.path, log);
    expect(log.records).to.deep.equal([]);
  });

  it('makes the state directory accessible to its owner only', () => {
    const directory = makeDirectory();
    expect(openStateDirectory(directory.at('state'))).to.deep.equal({ path: directory.at('state') });
    expect(statSync(directory.at('state')).mode & 0o777).to.equal(0o700);
  });

  it('warns, naming what will not survive, when state cannot be stored', () => {
    const directory = makeDirectory({ file: '' });
    const log = captureLog();
    const path = directory.at('file/state');
    const state = openStateDirectory(path);
    if (state.path !== undefined) throw new Error('there is a place for state');
    warnOfLosses(['session keys', 'records', 'lists'], { path, reason: state.reason }, log);
    const [warning] = log.having('will not survive a restart', 'warn');
    expect(warning?.text).to.contain('session keys, records and lists will');
    expect(warning?.data['fix']).to.contain('--state-path').and.contain('PEGBOARD_STATE_PATH');
  });

  it('restricts an existing state directory that others may read', () => {
    const directory = makeDirectory({ 'state/key': 'k' });
    chmodSync(directory.at('state'), 0o755);
    openStateDirectory(directory.at('state'));
    expect(statSync(directory.at('state')).mode & 0o077).to.equal(0);
  });

  describe('with a state directory that was prepared by others', function () {
    before(function () {
      // Only root may make one.
      if (process.getuid?.() !== 0) this.skip();
    });

    for (const [title, { mode, owner, as, isWritable, warns }] of Object.entries<Prepared>({
      'fsGroup of Kubernetes': {
        mode: 0o2775,
        owner: [0, 1_000],
        as: [1_000, 1_000],
        isWritable: true,
        warns: true,
      },
      'an emptyDir': { mode: 0o777, owner: [0, 0], as: [1_000, 1_000], isWritable: true, warns: true },
      'a random user of OpenShift': {
        mode: 0o775,
        owner: [0, 0],
        as: [1_000_760_000, 0],
        isWritable: true,
        warns: true,
      },
      'its own user': {
        mode: 0o755,
        owner: [1_000, 1_000],
        as: [1_000, 1_000],
        isWritable: true,
        warns: false,
      },
      'another user': { mode: 0o755, owner: [0, 0], as: [1_000, 1_000], isWritable: false, warns: true },
      'a group that may read': {
        mode: 0o750,
        owner: [0, 1_000],
        as: [1_000, 1_000],
        isWritable: false,
        warns: false,
      },
    }))
      it(`${isWritable ? 'uses' : 'leaves'} that of ${title}${warns && isWritable ? ', and warns' : ''}`, () => {
        const directory = makeDirectory();
        chmodSync(directory.path, 0o755);
        const path = directory.at('state');
        mkdirSync(path);
        chownSync(path, ...owner);
        chmodSync(path, mode);
        const opened = asUser(as, () => openStateDirectory(path));
        expect(opened.path).to.equal(isWritable ? path : undefined);
        expect(readdirSync(path)).to.deep.equal([]);
        const log = captureLog();
        asUser(as, () => warnOfOpenState(path, log));
        expect(log.having('open to others', 'warn')).to.have.length(warns ? 1 : 0);
      });
  });
});

interface Prepared {
  readonly mode: number;
  readonly owner: readonly [number, number];
  /** User and group of the process. */
  readonly as: readonly [number, number];
  readonly isWritable: boolean;
  readonly warns: boolean;
}

function asUser<T>([user, group]: readonly [number, number], run: () => T): T {
  process.setegid?.(group);
  process.seteuid?.(user);
  try {
    return run();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
