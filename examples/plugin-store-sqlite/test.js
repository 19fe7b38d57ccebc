import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ResourceStore } from 'pegboard/contracts';
import { eventually, startGateway, storeContract } from 'pegboard/testing';
import { DatabaseFile } from './databaseFile.js';
import { SqliteStore } from './store.js';

const module = fileURLToPath(import.meta.resolve('./index.js'));

describe('plugin store-sqlite', () => {
  // Outside the configuration directory, which the gateway watches itself.
  let folder;
  let file;
  let plugins;
  const makeStore = () => {
    folder = mkdtempSync(join(tmpdir(), 'store-sqlite-'));
    file = join(folder, 'definitions.sqlite');
    plugins = { 'store-sqlite': { module, config: { file, pollMs: 50 } } };
  };
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  storeContract(() => {
    makeStore();
    return {
      plugins,
      changeOutside: async (_, kind, definition) => {
        const other = new DatabaseFile(file, 5);
        await new SqliteStore(other).create(kind, definition);
        await other.close();
      },
    };
  });

  describe('with the MCP servers of a gateway', () => {
    let gateway;
    beforeEach(async () => {
      makeStore();
      gateway = await startGateway({ plugins, builtIns: ['core-mcpservers'] });
    });
    afterEach(() => gateway.stop());
    const names = () => gateway.control.resources('MCPServer').map(({ name }) => name);
    const add = (name) => {
      const spec = { type: 'stdio', command: ['true'] };
      return gateway.get(ResourceStore).create('MCPServer', { name, spec });
    };

    it('keeps the definitions in force when the file is destroyed, reports it, and continues when it is repaired', async () => {
      await add('one');
      await gateway.control.reload();
      await writeFile(file, 'this is not a database');
      const report = await eventually(() => {
        const last = gateway.control.lastReport();
        return last?.issues.length > 0 && last;
      }, 'an issue');
      assert.equal(report.issues[0].code, 'STORE_UNREACHABLE');
      assert.deepEqual(names(), ['one']);
      await assert.rejects(add('two'), { code: 'STORE_UNREACHABLE' });
      await writeFile(file, '');
      await add('three');
      assert.deepEqual((await gateway.control.reload()).issues, []);
      assert.deepEqual(names(), ['three']);
    });
  });
});
