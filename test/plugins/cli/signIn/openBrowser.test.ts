import { expect } from 'chai';
import { browserCommand, openBrowser } from '../../../../plugins/cli/signIn/openBrowser.ts';

describe('plugins/cli: openBrowser', () => {
  it('uses $BROWSER, else the program of the system, and none where no window would be seen', () => {
    expect(browserCommand({ BROWSER: 'lynx' }, 'linux')).deep.equal(['lynx']);
    expect(browserCommand({ DISPLAY: ':0' }, 'linux')).deep.equal(['xdg-open']);
    expect(browserCommand({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).deep.equal(['xdg-open']);
    expect(browserCommand({}, 'linux')).equal(undefined);
    expect(browserCommand({}, 'darwin')).deep.equal(['open']);
    expect(browserCommand({ SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, 'darwin')).equal(undefined);
    expect(browserCommand({}, 'win32')).deep.equal(['rundll32', 'url.dll,FileProtocolHandler']);
  });

  it('opens web addresses only, and says whether the program ran', async () => {
    const url = 'https://example.com/';
    expect(await openBrowser(url, { BROWSER: '/bin/true' })).equal(true);
    expect(await openBrowser(url, { BROWSER: '/bin/false' })).equal(false);
    expect(await openBrowser(url, { BROWSER: '/does/not/exist' })).equal(false);
    expect(await openBrowser('file:///etc/passwd', { BROWSER: '/bin/true' })).equal(false);
  });
});
