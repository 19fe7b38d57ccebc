import { expect } from 'chai';
import fc from 'fast-check';
import { newKeyRing } from '../../../plugins/kit/secrets/keyRing.ts';
import { sealBytes } from '../../../plugins/kit/secrets/seal.ts';
import { refusalOf } from '../../support/kernel.ts';
import { gate } from '../../support/until.ts';
import { RING, contentOf, openVault, testDisk } from './support.ts';

/** A log of `count` entries a:0, a:1, … and the offset at which each ends. */
async function written(count: number): Promise<{ readonly bytes: Buffer; readonly ends: readonly number[] }> {
  const disk = testDisk();
  const { vault, sealed } = await openVault({ disk });
  const ends = [(await disk.bytes()).length];
  for (let at = 0; at < count; at += 1) {
    await vault.set(`a:${at}`, `value ${at}`);
    ends.push((await disk.bytes()).length);
  }
  await sealed.close();
  return { bytes: await disk.bytes(), ends };
}

function firstOnes(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`a:${at}`, `value ${at}`]));
}

describe('plugins/vault-file: log', () => {
  it('cut at any byte holds every record before the cut, and accepts new ones', async () => {
    const { bytes, ends } = await written(4);
    for (let cut = ends[0]!; cut <= bytes.length; cut += 1) {
      const disk = testDisk(bytes.subarray(0, cut));
      const { vault, sealed, log } = await openVault({ disk });
      const whole = ends.filter((end) => end <= cut).length - 1;
      expect(await contentOf(vault), `cut at ${cut}`).to.deep.equal(firstOnes(whole));
      expect(log.having('unfinished write')).to.have.length(ends.includes(cut) ? 0 : 1);
      expect(disk.aside).to.deep.equal([]);
      await vault.set('a:0', 'new');
      await sealed.close();
      const again = await openVault({ disk });
      expect(await again.vault.get('a:0')).to.equal('new');
      expect(again.log.records).to.deep.equal([]);
    }
  });

  it('treats zeros at the end, which a loss of power leaves, as an unfinished write', async () => {
    const { bytes } = await written(2);
    const disk = testDisk(Buffer.concat([bytes, Buffer.alloc(5000)]));
    const { vault, log } = await openVault({ disk });
    expect(await contentOf(vault)).to.deep.equal(firstOnes(2));
    expect(log.having('unfinished write')[0]?.data).to.include({ bytes: 5000 });
    expect(disk.aside).to.deep.equal([]);
  });

  it('with any damaged bytes keeps every other record, names the damage and sets the file aside', async () => {
    const { bytes, ends } = await written(6);
    const spoil = fc.record({
      at: fc.integer({ min: 0, max: bytes.length - 1 }),
      length: fc.integer({ min: 1, max: 60 }),
      mask: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(spoil, async ({ at, length, mask }) => {
        const spoilt = Buffer.from(bytes);
        const end = Math.min(at + length, bytes.length);
        for (let byte = at; byte < end; byte += 1) spoilt[byte]! ^= mask;
        const disk = testDisk(spoilt);
        const { vault, sealed, log } = await openVault({ disk });
        const kept = Object.entries(firstOnes(6)).filter(
          (_, number) => ends[number + 1]! <= at || ends[number]! >= end,
        );
        expect(await contentOf(vault)).to.deep.equal(Object.fromEntries(kept));
        // A damaged length in the last record looks like an unfinished write.
        if (log.having('unfinished write').length === 0) {
          expect(log.having('damaged', 'error')[0]?.data).to.include({
            file: 'test disk',
            kept: kept.length,
          });
          expect(disk.aside[0]?.equals(spoilt)).to.equal(true);
        }
        await vault.set('a:new', 1);
        await sealed.close();
        const again = await openVault({ disk });
        expect(await again.vault.get('a:new')).to.equal(1);
        expect(again.log.records).to.deep.equal([]);
      }),
      { numRuns: 200 },
    );
  });

  it('finds the record after a damaged one whose mark spans two of the pieces that are searched', async () => {
    const piece = 1024 * 1024;
    for (const inFirst of [1, 2, 3]) {
      const disk = testDisk();
      const { vault, sealed } = await openVault({ disk });
      const size = async (): Promise<number> => (await disk.bytes()).length;
      const head = await size();
      await vault.set('a:spoilt', '');
      const start = await size();
      // The search begins at the second byte of what is damaged.
      await vault.set('a:spoilt', 'x'.repeat(1 + piece - inFirst - (start - head)));
      await vault.set('a:next', 1);
      await sealed.close();
      const bytes = Buffer.from(await disk.bytes());
      bytes[start]! ^= 1;
      const again = await openVault({ disk: testDisk(bytes) });
      expect(await contentOf(again.vault)).to.deep.equal({ 'a:spoilt': '', 'a:next': 1 });
    }
  });

  it('of a newer version is refused with the format and left as it is; a spoilt digit is damage', async () => {
    const { bytes } = await written(2);
    const mark = Buffer.concat([Buffer.from('PEGVLT2\n'), RING[0].id]);
    const newer = Buffer.concat([
      mark,
      sealBytes(RING[0], mark, Buffer.alloc(0)),
      Buffer.from('other records'),
    ]);
    const disk = testDisk(newer);
    expect(await refusalOf(() => openVault({ disk }))).include({
      code: 'STORE_UNREACHABLE',
      message:
        'test disk was written by a newer version of Pegboard, in format 2; this one reads 1; start that version, or restore a copy of the state from before it',
    });
    expect(await disk.bytes()).deep.equal(newer);
    expect(disk.aside).deep.equal([]);

    bytes.write('2', 'PEGVLT'.length);
    const { vault } = await openVault({ disk: testDisk(bytes) });
    expect(await contentOf(vault)).deep.equal(firstOnes(2));
  });

  it('opens a record nowhere but where it was written', async () => {
    const { bytes, ends } = await written(2);
    const replayed = Buffer.concat([bytes, bytes.subarray(ends[0], ends[1])]);
    const { log } = await openVault({ disk: testDisk(replayed) });
    expect(log.having('damaged')).to.have.length(1);
  });

  it('reports wrong keys instead of treating everything as damage', async () => {
    const { bytes } = await written(3);
    const disk = testDisk(bytes);
    const refusal = await refusalOf(() => openVault({ disk, ring: newKeyRing() }));
    expect(refusal.code).to.equal('STORE_UNREACHABLE');
    expect(refusal.message).to.contain('restore the key file');
    expect((await disk.bytes()).equals(bytes)).to.equal(true);
  });

  it('starts anew with an empty file', async () => {
    const disk = testDisk(Buffer.alloc(0));
    await (await openVault({ disk })).vault.set('a:1', 1);
    expect(await contentOf((await openVault({ disk })).vault)).to.deep.equal({ 'a:1': 1 });
  });

  it('seals everything by the first key once keys were rotated', async () => {
    const { bytes } = await written(3);
    const disk = testDisk(bytes);
    const [fresh] = newKeyRing();
    const { vault, sealed } = await openVault({ disk, ring: [fresh, ...RING] });
    await sealed.settled;
    expect(await contentOf(vault)).to.deep.equal(firstOnes(3));
    await sealed.close();
    const { vault: later, log } = await openVault({ disk, ring: [fresh] });
    expect(await contentOf(later)).to.deep.equal(firstOnes(3));
    expect(log.records).to.deep.equal([]);
  });

  it('is rewritten when garbage exceeds its setting, without losing concurrent writes', async () => {
    const disk = testDisk();
    const { vault, sealed } = await openVault({ disk, limits: { compactGarbageBytes: 20_000 } });
    for (const key of ['a:kept', 'a:replaced', 'a:taken']) await vault.set(key, 'before');
    const [copying, goOn] = [gate(), gate()];
    let syncs = 0;
    disk.before = async (what) => {
      if (what !== 'sync' || sealed.garbageBytes <= 20_000) return;
      syncs += 1;
      // The first sync is that of the copy.
      if (syncs > 1) return;
      copying.open();
      await goOn.opened;
    };
    while (sealed.garbageBytes <= 20_000) await vault.set('b:1', 'x'.repeat(1000));
    await copying.opened;
    const full = (await disk.bytes()).length;
    const meanwhile = [vault.set('a:replaced', 'after'), vault.take('a:taken'), vault.set('a:new', 'new')];
    goOn.open();
    await Promise.all(meanwhile);
    await sealed.settled;
    const expected = { 'a:kept': 'before', 'a:new': 'new', 'a:replaced': 'after', 'b:1': 'x'.repeat(1000) };
    expect(await contentOf(vault)).to.deep.equal(expected);
    expect((await disk.bytes()).length).to.be.lessThan(full / 5);
    await sealed.close();
    expect(await contentOf((await openVault({ disk })).vault)).to.deep.equal(expected);
  });

  it('continues in its old file when it cannot be rewritten, and reports it', async () => {
    const disk = testDisk();
    const { vault, sealed, log } = await openVault({ disk, limits: { compactGarbageBytes: 2000 } });
    disk.before = (what) => {
      if (what === 'publish') throw new Error('EROFS');
    };
    for (let at = 0; at < 60; at += 1) await vault.set('a:1', 'x'.repeat(100));
    await sealed.settled;
    expect(log.having('could not be compacted', 'warn')).to.not.be.empty;
    disk.before = () => undefined;
    await vault.set('a:1', 'last');
    await sealed.close();
    expect(await contentOf((await openVault({ disk })).vault)).to.deep.equal({ 'a:1': 'last' });
  });

  it('reports a record that becomes unreadable while it runs, and sets the file aside when it is rewritten', async () => {
    const disk = testDisk();
    const { vault, sealed, log } = await openVault({ disk, limits: { compactGarbageBytes: 2000 } });
    await vault.set('a:1', 'spoilt');
    const at = (await disk.bytes()).length - 3;
    await (await disk.current())?.write(at, Buffer.from('xxx'));
    const refusal = await refusalOf(() => vault.get('a:1'));
    expect(refusal.message).to.contain('cannot be read').and.not.contain('a:1');
    for (let round = 0; round < 30; round += 1) await vault.set('b:1', 'x'.repeat(100));
    await sealed.settled;
    expect(log.having('no longer open', 'error')[0]?.data).to.include({ records: 1, aside: 'aside' });
    expect(await vault.list('')).to.deep.equal(['b:1']);
  });

  it('writes nothing once another process has taken it over', async () => {
    const disk = testDisk();
    const { vault, sealed } = await openVault({ disk });
    const size = (await disk.bytes()).length;
    const late = vault.set('a:1', 1);
    sealed.abandon();
    expect((await refusalOf(() => late)).code).to.equal('STORE_UNREACHABLE');
    await sealed.close();
    expect((await disk.bytes()).length).to.equal(size);
  });
});
