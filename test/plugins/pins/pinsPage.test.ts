import { expect } from 'chai';
import { siteAt } from '../admin/adminGateway.ts';
import { TOOL, changingServers, pinnedGateway, until } from './support.ts';
import type { Pending } from './support.ts';

describe('the page of pins', () => {
  it('shows what has changed, escaped, and accepts and refuses what was shown', async () => {
    const { gateway, declare, pending } = await pinnedGateway(changingServers({ rug: { tools: [TOOL] } }));
    const site = siteAt(gateway);
    await until(() => gateway.kernel.catalogue.shared('x_rug_safe'));
    expect((await site.get('/pins')).text).to.contain('All servers declare what was accepted.');
    await declare('rug', { tools: [{ ...TOOL, description: 'Reads <script>\u202eone</script> note.' }] });
    const { hash } = await until(async () => (await pending())[0]);
    const { text } = await site.get('/pins?name=x_rug_safe');
    expect(text)
      .to.match(/aria-current="page">Pins/)
      .and.contain(hash)
      .and.contain('1 changed declaration');
    expect(text)
      .to.contain('&lt;')
      .and.contain('\\u202e')
      .and.not.contain('<script>\\')
      .and.not.contain('\u202e');
    const outdated = await site.submit('/pins/accept', { name: 'x_rug_safe', hash: 'f'.repeat(64) });
    expect(outdated.text).to.contain('another hash');
    await site.submit('/pins/refuse', { name: 'x_rug_safe', hash });
    const { pins } = await site.facts<{ pins: { items: readonly Pending[] } }>('/pins');
    expect(pins.items[0]).to.include({ state: 'refused', held: 'blocked' });
    await site.submit('/pins/accept', { name: 'x_rug_safe', hash });
    expect(await pending()).to.deep.equal([]);
  });

  it('accepts all of a server that is on the page', async () => {
    const prompts = [{ name: 'sum' }];
    const { gateway, declare, pending } = await pinnedGateway(
      changingServers({ rug: { tools: [TOOL], prompts } }),
    );
    const site = siteAt(gateway);
    await until(() => gateway.kernel.catalogue.shared('x_rug_safe'));
    await declare('rug', {
      tools: [{ ...TOOL, description: 'Other.' }],
      prompts: [{ name: 'sum', title: 'Sum' }],
    });
    await until(async () => (await pending()).length === 2);
    expect((await site.get('/pins?name=rug')).text).to.contain('All 2 changed declarations of rug');
    const { set } = await site.facts<{ set: { hash: string } }>('/pins?name=rug');
    await site.submit('/pins/accept', { name: 'rug', hash: set.hash });
    expect(await pending()).to.deep.equal([]);
  });
});
