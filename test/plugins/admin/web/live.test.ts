import { expect } from 'chai';
import { initialize, listenerUrl } from '../../../support/edge.ts';
import { openStream, send } from '../../../support/rawHttp.ts';
import { within } from '../../../support/until.ts';
import { openAdmin } from '../adminGateway.ts';

const OFF = JSON.stringify({ type: 'stdio', command: ['/nowhere/server'], autoStart: false });

describe('the live updates of the admin pages', () => {
  it('tell open pages when something has changed, and end with the listener', async () => {
    const site = await openAdmin({ files: { 'mcpservers/shop.yaml': OFF } });
    const stream = await openStream(site.url, { path: '/events/stream' });
    expect(stream.headers['content-type']).equal('text/event-stream');
    expect(stream.headers['content-security-policy']).include("default-src 'none'");
    await initialize(listenerUrl(site.gateway));
    await stream.heard(1);
    expect(stream.text()).include('event: changed');
    await site.gateway.stop();
    await within(stream.ended, { what: 'the stream ends' });
  });

  it('are refused to a foreign Host, as pages are', async () => {
    const { url } = await openAdmin();
    const refused = await send(url, { path: '/events/stream', headers: { host: 'evil.example' } });
    expect(refused.status).equal(403);
  });
});
