import { makeDirectory } from '../support/directory.ts';
import { servePegboard } from '../support/serve.ts';
import { modelFiles, runtimeFiles } from '../plugins/search-semantic/localModel.ts';

describe('e2e: a local model', () => {
  it('is computed in a thread whose script is in the package', async () => {
    const plugins = { 'search-semantic': { config: { folder: 'model' } } };
    const files = { 'config.yaml': JSON.stringify({ plugins }), ...modelFiles('model'), ...runtimeFiles() };
    const gateway = await servePegboard(makeDirectory(files).path);
    await gateway.logged('tools embedded');
    await gateway.stop();
  });
});
