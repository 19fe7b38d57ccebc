import { expect } from 'chai';
import { TOOL, called, changingServers, pinnedGateway, until } from './support.ts';

const DANGEROUS = { ...TOOL, annotations: { destructiveHint: true } };
const UNSAID = { name: TOOL.name, description: TOOL.description, inputSchema: TOOL.inputSchema };

describe('plugins/pins: hints', () => {
  for (const [what, next] of Object.entries({
    'leaves it out': { ...UNSAID, annotations: {} },
    'has no annotations': UNSAID,
    'says "true"': { ...UNSAID, annotations: { destructiveHint: 'true' } },
    'says null': { ...UNSAID, annotations: { destructiveHint: null } },
  }))
    it(`holds a tool that was accepted as destructive to that, if its server ${what} later`, async () => {
      const directory = changingServers({ rug: { tools: [DANGEROUS] } });
      directory.write(
        'config.yaml',
        JSON.stringify({
          aggregator: { admin: { enabled: true, port: 0 } },
          operators: { local: 'define' },
          plugins: { deny: { config: { destructive: true, except: ['core_*'] } } },
        }),
      );
      const { client, declare, pending, accept } = await pinnedGateway(directory);
      expect(await called(client, 'x_rug_safe', { note: 'a' })).to.contain('destructive tools are denied');
      await declare('rug', { tools: [next] });
      const pin = await until(async () => (await pending())[0]);
      expect(pin.widens).to.deep.equal(['destructiveHint']);
      expect(await called(client, 'x_rug_safe', { note: 'a' })).to.contain('destructive tools are denied');
      await accept('x_rug_safe', pin.hash);
      expect(await called(client, 'x_rug_safe', { note: 'a' })).to.equal('{"note":"a"}');
    });
});
