import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { builtInNames } from '../../kernel/loader.ts';
import { makeDirectory } from '../support/directory.ts';
import { packedProgram } from '../support/packed.ts';
import { ROOT } from '../support/sources.ts';

interface Report {
  readonly issues: readonly { readonly message: string }[];
}

/** What `pegboard check` of one program prints about a directory. */
function check(program: string, directory: string): Promise<Report> {
  const args = [program, 'check', '--config-path', directory, '--output', 'json'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (_error, stdout) => resolve(JSON.parse(stdout) as Report));
  });
}

describe('e2e: precompiled schemas', () => {
  const COMPILED = join(ROOT, 'build/kernel/program/pegboard.js');

  it('report what ajv reports at run time, for wrong values of every plugin and kind', async () => {
    const odd = {
      enabled: 'x',
      directory: 3,
      host: [],
      unknown: 1,
      perSession: { burst: -1 },
      pageChars: 0,
      keys: 'x',
    };
    const plugins = Object.fromEntries((await builtInNames()).map((name) => [name, { config: odd }]));
    const { path } = makeDirectory({
      'config.yaml': JSON.stringify({ plugins }),
      'mcpservers/a.yaml': JSON.stringify({ type: 'nothing', command: 'x', timeout: -1, colour: 1 }),
      'workflows/b.yaml': JSON.stringify({ args: 3, steps: [{ id: 1 }] }),
    });
    const [packed, compiled] = await Promise.all([check(packedProgram(), path), check(COMPILED, path)]);
    expect(packed).deep.equal(compiled);
    expect(packed.issues).length.above(20);
  });

  it('give the same defaults', async () => {
    const { path } = makeDirectory({
      'mcpservers/a.yaml': JSON.stringify({ type: 'stdio', command: ['true'] }),
      'workflows/b.yaml': JSON.stringify({ steps: [{ id: 'one', tool: 'x_a_run' }] }),
    });
    const [packed, compiled] = await Promise.all([check(packedProgram(), path), check(COMPILED, path)]);
    expect(packed).deep.equal(compiled);
  });
});
