import { expect } from 'chai';
import { Cancellation } from '../../../../kernel/index.ts';
import type { Invocation } from '../../../../kernel/index.ts';
import { silently } from '../../../../plugins/cli/signIn/silently.ts';
import { TokenFile } from '../../../../plugins/cli/signIn/tokenFile.ts';
import type { StoredTokens } from '../../../../plugins/cli/signIn/tokenFile.ts';
import { makeDirectory } from '../../../support/directory.ts';

const ENDPOINT = 'https://tools.example.com/mcp';
const NEVER = { begin: () => Promise.resolve({ url: ENDPOINT, done: new Promise<void>(() => undefined) }) };

describe('plugins/cli: silently', () => {
  async function given(): Promise<{ invocation: Invocation; said: () => string; cancel: Cancellation }> {
    const { path: directory } = makeDirectory();
    const stored = { server_url: 'https://tools.example.com', id_token: 'a.e30.b' };
    await new TokenFile(directory, ENDPOINT).write(stored as StoredTokens);
    let said = '';
    const terminal = { err: (text: string) => (said += text) };
    const cancel = new Cancellation();
    const invocation = { directory, cancel, terminal, options: {}, env: { BROWSER: '/bin/true' } };
    return { invocation: invocation as unknown as Invocation, said: () => said, cancel };
  }

  it('gives up when the browser does not come back in time', async () => {
    const { invocation, said } = await given();
    expect(await silently(invocation, ENDPOINT, NEVER, 1)).equal(false);
    expect(said()).equal('not possible without a question (no answer within 0.001 s)\n');
  });

  it('ends with Ctrl-C instead of asking the person', async () => {
    const { invocation, cancel } = await given();
    const trying = silently(invocation, ENDPOINT, NEVER);
    cancel.cancel('SIGINT');
    expect(await trying.catch((error: unknown) => (error as Error).message)).equal('interrupted');
  });
});
