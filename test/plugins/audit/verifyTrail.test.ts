import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { loadSigningKeys } from '../../../plugins/audit/signingKeys.ts';
import { ORIGIN, writeLine } from '../../../plugins/audit/line.ts';
import type { Head, Line } from '../../../plugins/audit/line.ts';
import { verifyTrail } from '../../../plugins/audit/verifyTrail.ts';
import type { Demands, Verification } from '../../../plugins/audit/verifyTrail.ts';
import { makeDisk, makeKeyPair, openTrail, writeTrail } from './support.ts';
import type { Disk } from './support.ts';

const SMALL = { maxFileBytes: 1_200, checkpointLines: 1_000, maxPendingLines: 1_000 };

async function verify(disk: Disk, demands: Demands = {}): Promise<Verification> {
  return (await verifyTrail(disk.at('audit'), demands)).verification;
}
/** `file:line fault`, without the beginning of the file's name. */
async function faultsOf(disk: Disk, demands: Demands = {}): Promise<string[]> {
  const { faults } = await verify(disk, demands);
  return faults.map(({ file, line, what }) => `${Number(/\d+/.exec(file))}:${line} ${what}`);
}
/** Recomputes the chain over edited lines, as a knowledgeable attacker would. */
function rechain(lines: readonly string[], change: (line: Line) => Line['event'] | undefined): string[] {
  let head: Head = ORIGIN;
  return lines.flatMap((text) => {
    const line = JSON.parse(text) as Line;
    const event = change(line);
    if (event === undefined) return [];
    const next = writeLine(head, line.time, event);
    head = next.head;
    return [next.text];
  });
}

describe('verification of an audit trail', () => {
  let disk: Disk;
  let end: Head | undefined;
  beforeEach(async () => {
    disk = makeDisk();
    end = await writeTrail(disk, 6);
  });

  it('counts lines, files and checkpoints of an unmodified trail', async () => {
    const found = await verify(disk, { held: end });
    expect(found).include({ ok: true, files: 1, lines: 10, checkpoints: 2, fault_count: 0 });
    expect(found.first_time! <= found.last_time!).equal(true);
  });

  it('names a line that was edited', async () => {
    disk.edit((lines) => lines.map((line, at) => (at === 4 ? line.replace('"call":3', '"call":9') : line)));
    expect(await faultsOf(disk)).deep.equal(['1:5 changed']);
  });

  it('names the place of a line that was deleted', async () => {
    disk.edit((lines) => lines.toSpliced(4, 1));
    expect(await faultsOf(disk)).deep.equal(['1:5 missing']);
    expect((await verify(disk)).faults[0]?.detail).equal('line 5 of the trail is missing before it');
  });

  it('names reordered lines', async () => {
    disk.edit((lines) => lines.with(4, lines[5]!).with(5, lines[4]!));
    expect(await faultsOf(disk)).deep.equal(['1:5 missing', '1:6 out of order']);
  });

  it('names a tail that was cut off, given where the trail ended', async () => {
    disk.edit((lines) => lines.slice(0, 7));
    expect(await faultsOf(disk)).deep.equal([]);
    expect(await faultsOf(disk, { held: end })).deep.equal(['1:7 missing']);
  });

  it('names the last line when it was edited, and a chain that was recomputed', async () => {
    const tail = disk.lines().at(-1)!;
    disk.edit((lines) => lines.with(-1, tail.replace('checkpoint', 'started')));
    expect(await faultsOf(disk, { held: end })).deep.equal(['1:10 changed']);
    disk.edit((lines) => rechain(lines, ({ event }) => ({ ...event, call: 7 })));
    expect(await faultsOf(disk)).deep.equal([]);
    expect(await faultsOf(disk, { held: end })).deep.equal(['1:10 changed']);
  });

  it('names garbage, and continues behind it', async () => {
    const garbage = ['{}', '[1]', 'null', '{"seq":3', 'x'.repeat(300_000)];
    for (const text of garbage) {
      disk.edit((lines) => lines.with(2, text));
      expect(await faultsOf(disk), text.slice(0, 20)).deep.equal(['1:3 changed']);
    }
  });

  it('accepts half a line at the very end as the remains of a crash', async () => {
    appendFileSync(disk.at(`audit/${disk.files()[0]!}`), '{"seq":11,"ti');
    const { verification, tornBytes } = await verifyTrail(disk.at('audit'), { held: end });
    expect(verification.ok).equal(true);
    expect(tornBytes).equal(13);
  });

  it('finds nothing wrong in an empty trail', async () => {
    expect(await verify(makeDisk())).include({ ok: true, files: 0, lines: 0, first_time: null });
  });
});

describe('verification of a trail in several files', () => {
  let disk: Disk;
  beforeEach(async () => {
    disk = makeDisk();
    await writeTrail(disk, 40, { limits: () => SMALL });
    expect(disk.files().length).above(3);
  });
  const firstOf = (file: string | undefined): number => Number(/\d+/.exec(file ?? ''));

  it('follows the chain from file to file, each within the limit', async () => {
    expect(await verify(disk)).include({ ok: true, lines: 44 });
    for (const file of disk.files()) expect(disk.lines(file).join('\n').length).below(SMALL.maxFileBytes);
  });

  it('names a file that is missing', async () => {
    const [, second, third] = disk.files();
    rmSync(disk.at(`audit/${second!}`));
    expect(await faultsOf(disk)).deep.equal([`${firstOf(third)}:0 missing`]);
  });

  it('names files that were swapped', async () => {
    const [first, second] = disk.files().map((name) => disk.at(`audit/${name}`));
    renameSync(first!, `${first!}.tmp`);
    renameSync(second!, first!);
    renameSync(`${first!}.tmp`, second!);
    const faults = await faultsOf(disk);
    expect(faults[0]).equal('1:1 missing');
    expect(faults).include(`${firstOf(disk.files()[1])}:1 out of order`);
  });
});

describe('signatures in an audit trail', () => {
  const limits = () => ({ ...SMALL, maxFileBytes: 1_000_000, checkpointLines: 10 });
  const first = makeKeyPair();
  const second = makeKeyPair();
  let disk: Disk;
  const keysOf = (signing: string | undefined, ...trusted: string[]) =>
    loadSigningKeys(
      { ...(signing === undefined ? {} : { signingKeyFile: signing }), trustedKeyFiles: trusted },
      disk.path,
    );
  beforeEach(() => {
    disk = makeDisk();
    for (const [name, { privateKey, publicKey }] of Object.entries({ first, second })) {
      disk.write(`${name}.pem`, privateKey);
      disk.write(`${name}.pub`, publicKey);
    }
  });

  it('verify with the public key', async () => {
    await writeTrail(disk, 25, { limits, keys: await keysOf('first.pem') });
    const demands = { keys: await keysOf(undefined, 'first.pub'), checkpointLines: 10 };
    expect(await verify(disk, demands)).include({ ok: true, checkpoints: 4, signed_through: 31 });
  });

  it('do not verify for a chain that was recomputed', async () => {
    await writeTrail(disk, 5, { limits, keys: await keysOf('first.pem') });
    disk.edit((lines) =>
      rechain(lines, ({ event }) => (event['call'] === 2 ? { ...event, call: 9 } : event)),
    );
    const demands = { keys: await keysOf('first.pem'), checkpointLines: 10 };
    expect(await faultsOf(disk, demands)).deep.equal(['1:9 bad signature']);
  });

  it('are reported missing when they were removed', async () => {
    await writeTrail(disk, 25, { limits, keys: await keysOf('first.pem') });
    disk.edit((lines) => rechain(lines, ({ event }) => (event.type === 'checkpoint' ? undefined : event)));
    const demands = { keys: await keysOf('first.pem'), checkpointLines: 10 };
    expect(await faultsOf(disk, demands)).deep.equal(['1:27 bad signature']);
  });

  it('need the former key when the key was replaced', async () => {
    const end = await writeTrail(disk, 5, { limits, keys: await keysOf('first.pem') });
    const later = await openTrail(disk, { limits, keys: await keysOf('second.pem'), held: end });
    await later.stop();
    const missing = { keys: await keysOf('second.pem'), checkpointLines: 10 };
    expect(await faultsOf(disk, missing)).deep.equal(['1:2 bad signature', '1:9 bad signature']);
    const both = { keys: await keysOf('second.pem', 'first.pub'), checkpointLines: 10 };
    expect(await verify(disk, both)).include({ ok: true, signed_through: 13 });
  });

  it('are not made with an invalid key, which is reported without its content', async () => {
    writeFileSync(disk.at('first.pem'), 'planted-secret');
    const error = await keysOf('first.pem').catch((thrown: unknown) => thrown);
    expect(error).property('code', 'CONFIG_UNREADABLE');
    expect(String(error))
      .match(/first\.pem is not a readable PEM file.*openssl/)
      .not.include('planted');
  });
});
