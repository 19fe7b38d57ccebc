import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { ResourceKind } from '../../../kernel/contracts/resource.ts';
import { FileStore } from '../../../plugins/store-file/fileStore.ts';
import { Folders } from '../../../plugins/store-file/folders.ts';
import type { DefinitionFile } from '../../../plugins/store-file/folders.ts';
import { bootGateway } from '../../support/gateway.ts';
import { refusalOf } from '../../support/kernel.ts';

const KIND = 'MCPServer';
const spec = { type: 'stdio', command: ['b'] };

describe('plugins/store-file: a replacement', () => {
  it('retries when another process saves in between, and gives up when that continues', async () => {
    const { pipeline, directory } = await bootGateway({
      builtIns: ['store-file', 'core-mcpservers'],
      files: { 'mcpservers/a.yaml': 'type: stdio\ncommand: [a]\n' },
    });
    const text = (): string => readFileSync(directory.at('mcpservers/a.yaml'), 'utf8');
    let saves = 1;
    class Meddled extends Folders {
      override async read(root: string, kind: ResourceKind): Promise<readonly DefinitionFile[]> {
        const files = await super.read(root, kind);
        if (saves > 0) directory.write('mcpservers/a.yaml', `# save ${saves--}\n${files[0]?.text ?? ''}`);
        return files;
      }
    }
    const maxFileBytes = () => 10_000;
    const folders = new Meddled(maxFileBytes);
    const control = () => pipeline;
    const store = new FileStore(folders, control, maxFileBytes, () => 3);
    await store.replace(KIND, { name: 'a', spec });
    expect(text()).to.equal('# save 1\ntype: stdio\ncommand: [b]\n');
    saves = 3;
    const refusal = await refusalOf(() => store.replace(KIND, { name: 'a', spec }));
    expect(refusal.code).to.equal('STORE_CONFLICT');
    expect(text()).to.contain('# save 1\n# save 2\n# save 3\n# save 1\n');
  });
});
