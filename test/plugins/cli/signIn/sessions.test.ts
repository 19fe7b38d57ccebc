import { expect } from 'chai';
import { callerKey } from '../../../../plugins/kit/authority/ownerOf.ts';
import { digest } from '../../../../plugins/kit/secrets/secrets.ts';
import { startGateway } from '../../../contract/index.ts';
import { startAuthServer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import { defer } from '../../../support/cleanup.ts';
import { startDesktop } from '../../../support/desktop.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import type { Typed } from '../../../support/typeVerb.ts';

interface Shown {
  readonly id: string;
  readonly isCurrent?: boolean;
}

describe('pegboard auth sessions', () => {
  it('lists the own sign-ins, and ends one or all others', async () => {
    const auth = await startAuthServer();
    const { env } = await startDesktop(newBrowser());
    const home = ['--config-path', makeDirectory().path, '--endpoint', `${auth.base}/mcp`];
    const type = (...args: readonly string[]): Promise<Typed> => typeVerb(['auth', ...args, ...home], env);
    const listed = async (): Promise<readonly Shown[]> =>
      JSON.parse((await type('sessions', '-o', 'json')).stdout) as readonly Shown[];
    const idOf = async (): Promise<string> => (await auth.tokens()).refresh.split('.')[0]!;

    expect(await type('login')).include({ code: 0 });
    const [laptop, phone] = [await idOf(), await idOf()];
    const asTable = await type('sessions');
    expect(asTable.stdout).match(/^ID +THIS ONE +CLIENT +SINCE +LAST USED +ADDRESS\n/);
    expect(asTable.stdout).match(new RegExp(`^${laptop} +Test client .* 127\\.0\\.0\\.1$`, 'm'));
    expect((await listed()).map(({ id }) => id)).include.members([laptop, phone]);

    expect(await type('sessions', 'end', laptop)).include({ code: 0, stderr: `sign-in ${laptop} ended\n` });
    const again = await type('sessions', 'end', laptop);
    expect([again.code, again.stderr]).deep.equal([
      1,
      'pegboard: None of your sign-ins has this id. List them with core_auth_sessions.\n',
    ]);
    expect(await type('sessions', 'end')).include({ code: 1 });
    expect(await type('sessions', 'end', '--others', '--yes')).include({ stderr: 'sign-ins ended: 1\n' });
    expect((await listed()).map(({ isCurrent }) => isCurrent)).deep.equal([true]);
  });

  it('have ids that the command line takes for no option', async () => {
    const auth = await startAuthServer();
    const markOf = (subject: string): string => digest(callerKey({ issuer: auth.provider.url, subject }));
    const subjects = Array.from({ length: 1_000 }, (_, at) => `person${at}`);
    auth.provider.loginAs(subjects.find((subject) => markOf(subject).startsWith('-')) ?? '');
    const { refresh } = await auth.tokens();
    expect(refresh).match(/^_/);
  });

  it('says so of a gateway without sign-in', async () => {
    const gateway = await startGateway();
    defer(() => gateway.stop());
    const { code, stderr } = await typeVerb([
      ...['auth', 'sessions', '--config-path', makeDirectory().path, '--endpoint', `${gateway.url()}/mcp`],
    ]);
    expect(code).equal(1);
    expect(stderr).equal(
      'pegboard: people do not sign in at this gateway: it has no aggregator.oauth.server\n',
    );
  });
});
