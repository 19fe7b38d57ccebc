import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { runPegboard } from '../../../support/serve.ts';
import { serveHere } from '../../../support/serveHere.ts';

describe('the trial of pegboard plan', function () {
  this.timeout(30_000);

  it('starts no workers, which would each start the servers', async () => {
    const { url } = await serveHere(makeDirectory());
    const script = "require('fs').appendFileSync(process.argv[1], process.ppid + ' ')";
    const after = makeDirectory({
      'config.yaml': JSON.stringify({ plugins: { workers: { config: { count: 2 } } } }),
    });
    const command = [process.execPath, '-e', script, after.at('parents')];
    after.write('mcpservers/one.yaml', JSON.stringify({ type: 'stdio', command, autoStart: true }));
    const home = ['--config-path', makeDirectory().path, '--endpoint', `${url}/mcp`];
    const { code, stderr } = await runPegboard(['plan', after.path, ...home], {});
    expect(code, stderr).equal(0);
    const parents = readFileSync(after.at('parents'), 'utf8').trim().split(' ');
    expect(new Set(parents).size).equal(1);
  });
});
