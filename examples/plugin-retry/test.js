import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { mcpClient, startGateway } from 'pegboard/testing';

const module = fileURLToPath(import.meta.resolve('./index.js'));
/** Tools of a server that answers its second call only. */
const FLAKY = `import { GatewayError, textResult } from 'pegboard';
const inputSchema = { type: 'object' };
export const plugin = { name: 'flaky', api: 1, configSchema: { type: 'object' }, apply(scope) {
  for (const [name, code, annotations] of [
    ['reads', 'UPSTREAM_CLOSED', { readOnlyHint: true }],
    ['writes', 'UPSTREAM_CLOSED', {}],
    ['refuses', 'TOOL_ARGUMENTS', { readOnlyHint: true }],
  ]) {
    let calls = 0;
    scope.addTool({ name, kind: 'tool', server: 'flaky', description: name, inputSchema, annotations, invoke() {
      calls += 1;
      if (calls === 2) return textResult('answered call 2');
      throw new GatewayError(code, 'call ' + calls + ' failed');
    } });
  }
} };`;

describe('plugin retry', () => {
  const directory = mkdtempSync(join(tmpdir(), 'retry-'));
  let gateway;
  let client;
  before(async () => {
    writeFileSync(join(directory, 'flaky.mjs'), FLAKY);
    const flaky = { module: join(directory, 'flaky.mjs') };
    gateway = await startGateway({ plugins: { retry: { module, config: { waitMs: 0 } }, flaky } });
    client = await mcpClient(gateway.url());
  });
  after(async () => {
    await gateway.stop();
    rmSync(directory, { recursive: true });
  });
  const answer = async (name) => (await client.callTool(name)).content[0].text;

  it('calls a tool that only reads again when its server was gone', async () => {
    assert.equal(await answer('reads'), 'answered call 2');
  });

  it('never repeats a tool that may change something', async () => {
    assert.match(await answer('writes'), /call 1 failed/);
  });

  it('never repeats a call that its server has refused', async () => {
    assert.match(await answer('refuses'), /call 1 failed/);
  });
});
