import { expect } from 'chai';
import { typeVerb } from '../../support/typeVerb.ts';
import { TOOL, changingServers, pinnedGateway, until } from './support.ts';

describe('pegboard pins', () => {
  it('lists, shows, refuses and accepts what has changed', async () => {
    const { gateway, declare, pending } = await pinnedGateway(changingServers({ rug: { tools: [TOOL] } }));
    const type = (...args: readonly string[]) =>
      typeVerb(['pins', ...args, '--endpoint', `${gateway.url}/mcp`]);
    await until(() => gateway.kernel.catalogue.shared('x_rug_safe'));
    expect(await type()).to.include({ code: 0, stdout: '' });
    await declare('rug', { tools: [{ ...TOOL, description: 'Reads any\u001b[8m\u200b note.' }] });
    const { hash } = await until(async () => (await pending())[0]);
    const listed = await type();
    expect([listed.code, listed.stdout]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && /x_rug_safe +rug +changed +warned/.test(text),
    );
    expect(JSON.parse((await type('-o', 'json')).stdout)).to.have.nested.property('[0].hash', hash);
    const { stdout } = await type('diff', 'x_rug_safe');
    expect(stdout).to.contain('Reads [-one-]{+any\\u001b[8m\\u200b+} note.').and.contain(`hash: ${hash}`);
    const outdated = await type('accept', 'x_rug_safe', 'f'.repeat(64));
    expect(outdated.code).to.equal(1);
    expect(outdated.stderr).to.contain('pegboard pins diff x_rug_safe');
    expect((await type('accept', 'x_rug_safe')).stderr).to.contain('give the hash');
    expect((await type('drop')).stderr).to.contain('pins does not know drop');
    expect(await type('refuse', 'x_rug_safe', hash)).to.include({ code: 0, stdout: 'refused x_rug_safe\n' });
    expect(await type('accept', 'x_rug_safe', hash)).to.include({ code: 0, stdout: 'accepted x_rug_safe\n' });
    expect(await pending()).to.deep.equal([]);
  });

  it('shows and accepts all of a server by one hash, unless it has changed again', async () => {
    const servers = { rug: { tools: [TOOL], prompts: [{ name: 'sum' }] }, calm: { tools: [TOOL] } };
    const { gateway, declare, pending } = await pinnedGateway(changingServers(servers));
    const type = (...args: readonly string[]) =>
      typeVerb(['pins', ...args, '--endpoint', `${gateway.url}/mcp`]);
    await until(() => gateway.kernel.catalogue.shared('x_rug_safe'));
    const prompts = [{ name: 'sum', description: 'New.' }];
    await declare('rug', { tools: [{ ...TOOL, description: 'Reads any note.' }], prompts });
    await until(async () => (await pending()).length === 2);
    const { stdout } = await type('diff', '--server', 'rug');
    const [, hash = ''] = /hash of all 2 of server rug: ([0-9a-f]{64})/.exec(stdout) ?? [];
    expect(stdout).to.contain('[-one-]{+any+}').and.contain('x_rug_sum');
    await declare('rug', { tools: [{ ...TOOL, description: 'Reads all notes.' }], prompts });
    await until(async () => JSON.stringify(await pending()).length > 0);
    const outdated = await type('accept', '--server', 'rug', '--hash', hash);
    expect([outdated.code, outdated.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && text !== '',
    );
    expect(await pending()).to.have.length(2);
    const [, next = ''] =
      / of server rug: ([0-9a-f]{64})/.exec((await type('diff', '--server', 'rug')).stdout) ?? [];
    expect(await type('accept', '--server', 'rug', '--hash', next)).to.include({
      code: 0,
      stdout: 'accepted rug\n',
    });
    expect(await pending()).to.deep.equal([]);
  });
});
