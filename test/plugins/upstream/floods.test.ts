import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { defer } from '../../support/cleanup.ts';
import { Rig, hostile, temporaryFolder, until } from './support.ts';

const BABBLER = fileURLToPath(
  new URL('../../../../test/plugins/upstream/fixtures/babbler.mjs', import.meta.url),
);
const FLOODS = ['garbage', 'notifications', 'list_changed', 'empty lines', 'logs', 'standard error'];

describe('upstream: a server that never stops talking', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  const babbler = (flood: string): { readonly spec: JsonObject; readonly chunks: () => number } => {
    const folder = temporaryFolder();
    defer(folder.remove);
    const file = join(folder.path, 'written');
    const command = [process.execPath, BABBLER, flood, file];
    return {
      spec: { type: 'stdio', autoStart: true, command, timeout: 5 },
      chunks: () => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    };
  };

  for (const flood of FLOODS) {
    it(`is read no faster than its share (${flood})`, async () => {
      const { spec, chunks } = babbler(flood);
      await rig.configure({ maxUnaskedPerSecond: 10, unaskedSliceMs: 1, stdinGraceMs: 50 });
      await rig.define({ good: hostile(), bad: spec });
      await rig.hasTool('x_good_echo');
      await until('the flood', () => chunks() > 0);
      // A server that is read as it writes gets rid of hundreds and thousands of chunks meanwhile.
      for (let call = 0; call < 500; call += 1) await rig.text('x_good_echo', { message: 'x' });
      expect(chunks()).to.be.below(30);
    });

    it(`is still answered by (${flood})`, async () => {
      await rig.configure({ maxUnaskedPerSecond: 20_000, stdinGraceMs: 50 });
      await rig.define({ bad: babbler(flood).spec });
      await rig.hasTool('x_bad_echo');
      for (const message of ['one', 'two'])
        expect(await rig.text('x_bad_echo', { message })).to.equal(message);
    });
  }
});
