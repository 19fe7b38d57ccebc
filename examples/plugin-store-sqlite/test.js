import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ResourceStore } from 'pegboard';
import { eventually, startGateway, storeContract } from 'pegboard/testing';
import { DatabaseFile } from './databaseFile.js';
import { SqliteStore } from './store.js';

const module = fileURLToPath(import.meta.resolve('./index.js'));
const plugins = { 'store-sqlite': { module, config: { pollMs: 50 } } };

describe('plugin store-sqlite', () => {
  storeContract(() => ({
    plugins,
    changeOutside: async (directory, kind, definition) => {
      const other = new DatabaseFile(join(directory, 'definitions.sqlite'), 5);
      await new SqliteStore(other).create(kind, definition);
      await other.close();
    },
  }));

  describe('with the MCP servers of a gateway', () => {
    let gateway;
    beforeEach(async () => {
      gateway = await startGateway({ plugins, builtIns: ['mcpservers'] });
    });
    afterEach(() => gateway.stop());
    const names = () => gateway.control.resources('MCPServer').map(({ name }) => name);
    const add = (name) => {
      const spec = { type: 'stdio', command: ['true'] };
      return gateway.get(ResourceStore).create('MCPServer', { name, spec });
    };

    it('keeps what is in force when the file is destroyed, says so, and goes on when it is repaired', async () => {
      await add('one');
      await gateway.control.reload();
      await writeFile(join(gateway.directory, 'definitions.sqlite'), 'no database at all');
      const report = await eventually(() => {
        const last = gateway.control.lastReport();
        return last?.issues.length > 0 && last;
      }, 'an issue');
      assert.equal(report.issues[0].code, 'STORE_UNREACHABLE');
      assert.deepEqual(names(), ['one']);
      await assert.rejects(add('two'), { code: 'STORE_UNREACHABLE' });
      await writeFile(join(gateway.directory, 'definitions.sqlite'), '');
      await add('three');
      assert.deepEqual((await gateway.control.reload()).issues, []);
      assert.deepEqual(names(), ['three']);
    });
  });
});
