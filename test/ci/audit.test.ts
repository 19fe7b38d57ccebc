import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { ROOT } from '../support/sources.ts';

const SBOM = JSON.stringify({
  components: [{ purl: 'pkg:npm/notes@1.2.3' }, { purl: 'pkg:npm/%40acme/notes@2.0.0-rc.2' }],
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function audit(files: Readonly<Record<string, string>>, ...more: readonly string[]): Promise<Ended> {
  const { at } = makeDirectory({ 'sbom.json': SBOM, ...files });
  const words = more.map((word) => (word === 'OSV' ? at('osv') : word));
  const script = join(ROOT, '.ci/audit.mjs');
  return new Promise((resolve) => {
    execFile(process.execPath, [script, '--sbom', at('sbom.json'), ...words], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

function advisory(name: string, events: readonly object[], more: object = {}): string {
  const affected = [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] }];
  return JSON.stringify({ id: 'GHSA-aaaa-bbbb-cccc', affected, ...more });
}

describe('The audit of what is bundled', () => {
  it('finds a version in a range of OSV, with the version that mends it', async () => {
    const events = [{ introduced: '1.0.0' }, { fixed: '1.2.4' }];
    const { code, stdout } = await audit({ 'osv/npm/a.json': advisory('notes', events) }, '--osv', 'OSV');
    expect(stdout).equal(
      'notes 1.2.3 is affected by GHSA-aaaa-bbbb-cccc (>=1.0.0 <1.2.4); fixed in 1.2.4\n2 packages checked, 1 findings\n',
    );
    expect(code).equal(1);
  });

  for (const [events, isFound] of [
    [[{ introduced: '0' }], true],
    [[{ introduced: '0' }, { fixed: '1.2.3' }], false],
    [[{ introduced: '1.2.3' }, { last_affected: '1.2.3' }], true],
    [[{ introduced: '0' }, { last_affected: '1.2.2' }], false],
    [[{ fixed: '1.3.0' }, { introduced: '1.2.0' }, { introduced: '0' }, { fixed: '1.0.0' }], true],
    [[{ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '1.2.4' }], false],
  ] as const) {
    it(`${isFound ? 'finds' : 'does not find'} 1.2.3 between ${JSON.stringify(events)}`, async () => {
      const { code } = await audit({ 'osv/a.json': advisory('notes', events) }, '--osv', 'OSV');
      expect(code).equal(isFound ? 1 : 0);
    });
  }

  it('orders versions before a release, and knows names with a scope', async () => {
    const of = async (fixed: string): Promise<number> =>
      (
        await audit(
          { 'osv/a.json': advisory('@acme/notes', [{ introduced: '0' }, { fixed }]) },
          '--osv',
          'OSV',
        )
      ).code;
    expect(await of('2.0.0')).equal(1);
    expect(await of('2.0.0-rc.10')).equal(1);
    expect(await of('2.0.0-rc.2')).equal(0);
    expect(await of('2.0.0-beta.9')).equal(0);
  });

  it('leaves out what is withdrawn, of another name or of another ecosystem', async () => {
    const events = [{ introduced: '0' }];
    const python = { affected: [{ package: { ecosystem: 'PyPI', name: 'notes' }, versions: ['1.2.3'] }] };
    const files = {
      'osv/a.json': advisory('notes', events, { withdrawn: '2026-01-01T00:00:00Z' }),
      'osv/b.json': advisory('other', events),
      'osv/c.json': `[${advisory('notes', events, python)}]`,
    };
    expect((await audit(files, '--osv', 'OSV')).code).equal(0);
  });

  it('ends with 2 where it could not find out', async () => {
    expect(await audit({}, '--osv', 'OSV')).include({ code: 2 });
    expect(await audit({ 'osv/a.json': '{}' }, '--osv', 'OSV')).include({ code: 2 });
    expect(await audit({ 'osv/a.txt': '' }, '--osv', 'OSV')).include({ code: 2 });
    expect(await audit({ 'sbom.json': '{}', 'osv/a.json': '[]' }, '--osv', 'OSV')).include({ code: 2 });
    expect(await audit({}, '--registry', 'http://127.0.0.1:1/')).include({ code: 2 });
  });

  it('asks the registry as npm does, and judges its ranges', async () => {
    let range = '>=1.0.0 <1.2.4';
    const asked: string[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (part: Buffer) => (text += part.toString()));
      request.on('end', () => {
        asked.push(`${request.method} ${request.url} ${text}`);
        const url = 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc';
        response.end(JSON.stringify({ notes: [{ id: 1, url, title: 'Bad', vulnerable_versions: range }] }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    defer(() => new Promise((resolve) => server.close(resolve)));
    const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`;
    const { code, stdout } = await audit({}, '--registry', registry);
    expect([code, stdout.split('\n')[0]]).deep.equal([
      1,
      'notes 1.2.3 is affected by GHSA-aaaa-bbbb-cccc (>=1.0.0 <1.2.4) Bad; fixed in 1.2.4',
    ]);
    expect(asked).deep.equal([
      'POST /npm/-/npm/v1/security/advisories/bulk {"notes":["1.2.3"],"@acme/notes":["2.0.0-rc.2"]}',
    ]);
    for (const [other, expected] of [
      ['<1.2.3 || =2.0.0', 0],
      ['<= 1.2.3', 1],
      ['*', 1],
      ['^1.0.0', 2],
      ['1.0.0 - 2.0.0', 2],
    ] as const) {
      range = other;
      expect((await audit({}, '--registry', registry)).code, other).equal(expected);
    }
  });
});
