import { spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { packageFile } from '../../kernel/lib/packageFile.ts';
import { makeDirectory } from '../support/directory.ts';
import { stagesOfDockerfile } from '../support/dockerfile.ts';
import { textOf as sourceOf } from '../support/sources.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly permissions?: object;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions?: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = packageFile('.github/workflows/');
const FILES = readdirSync(FOLDER);
const textOf = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');
const stepsOf = (file: string): readonly Step[] =>
  Object.values((parse(textOf(file)) as Workflow).jobs).flatMap(({ steps }) => steps);

describe('workflows of GitHub', () => {
  it('name each action by a commit, with its version beside it', () => {
    const uses = FILES.flatMap((file) => [...textOf(file).matchAll(/uses: (.*)/g)]).map(([, what]) => what);
    expect(uses).length.above(15);
    for (const what of uses) expect(what).match(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('name one commit for each action, and keep no token in the clone', () => {
    const pairs = new Set(FILES.flatMap(stepsOf).flatMap(({ uses }) => (uses === undefined ? [] : [uses])));
    const names = [...pairs].map((pair) => pair.split('@', 1)[0]);
    expect(names).deep.equal([...new Set(names)]);
    for (const file of FILES) {
      const clones = textOf(file).match(/actions\/checkout@/g)?.length ?? 0;
      expect(textOf(file).match(/persist-credentials: false/g)?.length ?? 0, file).equal(clones);
    }
  });

  it('may only read unless a job says otherwise, and end', () => {
    for (const file of FILES) {
      const { permissions, jobs } = parse(textOf(file)) as Workflow;
      expect(JSON.stringify(permissions), file).be.oneOf(['{}', '{"contents":"read"}']);
      for (const [name, job] of Object.entries(jobs)) expect(job['timeout-minutes'], name).above(0);
    }
  });

  it('run scripts of package.json and files that exist', () => {
    const { scripts } = JSON.parse(sourceOf('package.json')) as {
      readonly scripts: object;
    };
    const runs = FILES.flatMap(stepsOf).map(({ run = '' }) => run);
    const named = runs.flatMap((run) => [...run.matchAll(/npm (?:run )?(?!run|ci|publish)([\w:]+)/g)]);
    expect(named.map(([, name]) => name)).include.members(['check', 'test', 'pack']);
    for (const [, name] of named) expect(scripts).property(name ?? '');
    for (const [path] of runs.flatMap((run) => [...run.matchAll(/\.ci\/[\w.]+/g)]))
      expect(readFileSync(packageFile(path))).not.equal(undefined);
  });

  it('build the images of a release of digests, which a script takes from the registries', async () => {
    const directory = makeDirectory({
      docker: '#!/bin/sh\n[ "$4" != "$WITHOUT" ] && printf "sha256:%064d\\n" "${#4}"\nexit 0\n',
    });
    await chmod(directory.at('docker'), 0o755);
    const contexts = (without: string): SpawnSyncReturns<string> => {
      const script = fileURLToPath(packageFile('.ci/baseImages.mjs'));
      const env = { PATH: `${directory.path}:${process.env['PATH']}`, WITHOUT: without };
      return spawnSync(process.execPath, [script], { encoding: 'utf8', env });
    };
    const lines = contexts('').stdout.trim().split('\n');
    const stages = stagesOfDockerfile();
    const copied = stages.flatMap(({ instructions }) =>
      instructions.flatMap(({ text }) => /--from=(\S+\/\S+)/.exec(text)?.[1] ?? []),
    );
    const used = [...stages.map(({ from }) => from), ...copied];
    const foreign = used.filter((name) => !stages.some((stage) => stage.name === name));
    const expected = foreign.map(
      (name) => `${name}=docker-image://${name}@sha256:${String(name.length).padStart(64, '0')}`,
    );
    expect(lines).have.members(expected);
    expect(lines).length(3);
    const { status, stderr } = contexts('debian:bookworm-slim');
    expect(status).equal(1);
    expect(stderr).include('docker names no digest of debian:bookworm-slim');
    const release = parse(textOf('release.yml')) as Workflow;
    expect(release.jobs['image']?.steps.map((step) => step.with?.['build-contexts'])).include(
      '${{ needs.bases.outputs.contexts }}',
    );
  });

  it('attest the bill of materials that the image names in a label', () => {
    const label = /pegboard\.sbom="\/app\/(.*)"/.exec(sourceOf('Dockerfile'))?.[1] ?? '';
    const { files } = JSON.parse(sourceOf('package.json')) as { readonly files: readonly string[] };
    expect(label).equal('dist/sbom.cdx.json');
    expect(files).include('dist/{THIRD_PARTY_LICENSES.txt,sbom.cdx.json}');
    expect(textOf('release.yml')).include(`cat "$image" /app/${label} >sbom.cdx.json`);
  });

  it('take the notes of a release from its section of the changelog', () => {
    const script = fileURLToPath(packageFile('.ci/releaseNotes.mjs'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    const isReleased = !/^## \d+\.\d+\.\d+ \(unreleased\)/m.test(sourceOf('CHANGELOG.md'));
    expect(status === 0, stderr).equal(isReleased);
    expect(isReleased ? stdout : stderr).include(isReleased ? '- ' : 'CHANGELOG.md has no section "## ');
  });
});
