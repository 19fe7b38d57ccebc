import { expect } from 'chai';
import { mcpClient } from '../../contract/index.ts';
import { startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { answerIn } from '../../support/coreTools.ts';
import { within } from '../../support/until.ts';

interface Shown {
  readonly id: string;
  readonly isCurrent?: boolean;
}
interface Answer {
  readonly sessions: readonly Shown[];
  readonly ended?: readonly string[];
}

async function clientOf(auth: AuthServer, subject: string) {
  auth.provider.loginAs(subject);
  const tokens = await auth.tokens();
  const client = await mcpClient(auth.base, { authorization: `Bearer ${tokens.access}` });
  const ask = (args = {}) => client.callTool('core_auth_sessions', args);
  return {
    ...tokens,
    id: tokens.refresh.split('.')[0]!,
    ask,
    answer: async (args = {}) => answerIn(await ask(args)) as unknown as Answer,
  };
}

describe('core_auth_sessions', () => {
  let auth: AuthServer;
  beforeEach(async () => (auth = await startAuthServer()));
  const isAdmitted = async (token: string): Promise<boolean> => (await auth.mcp(token)).status === 200;

  it("lists the caller's own sign-ins and says which is the one that asks", async () => {
    const [laptop, desk, bob] = [
      await clientOf(auth, 'alice'),
      await clientOf(auth, 'alice'),
      await clientOf(auth, 'bob'),
    ];
    const { sessions } = await desk.answer();
    expect(sessions.map(({ id, isCurrent }) => [id, isCurrent])).have.deep.members([
      [laptop.id, undefined],
      [desk.id, true],
    ]);
    expect((await bob.answer()).sessions.map(({ id }) => id)).deep.equal([bob.id]);
    const text = JSON.stringify(sessions);
    for (const { access, refresh } of [laptop, desk])
      expect(text).not.include(access).and.not.include(refresh);
  });

  it('ends one or all others, with their streams, and none of another person', async () => {
    const [laptop, desk, phone, bob] = [
      await clientOf(auth, 'alice'),
      await clientOf(auth, 'alice'),
      await clientOf(auth, 'alice'),
      await clientOf(auth, 'bob'),
    ];
    const stream = await fetch(`${auth.base}/sse`, {
      headers: { authorization: `Bearer ${laptop.access}`, accept: 'text/event-stream' },
    });
    const ended = stream.text();
    expect((await desk.ask({ end: bob.id })).isError).equal(true);
    expect((await desk.ask({ end: 'unknown' })).isError).equal(true);
    expect((await desk.answer({ end: laptop.id })).ended).deep.equal([laptop.id]);
    await within(ended, { what: 'the stream of the ended sign-in ends' });
    expect([await isAdmitted(laptop.access), await isAdmitted(phone.access)]).deep.equal([false, true]);
    expect((await auth.refresh(laptop.refresh)).body['error']).equal('invalid_grant');
    const { sessions, ended: others } = await desk.answer({ end: 'others' });
    expect([sessions.map(({ id }) => id), others]).deep.equal([[desk.id], [phone.id]]);
    expect([await isAdmitted(phone.access), await isAdmitted(desk.access)]).deep.equal([false, true]);
    expect((await desk.answer({ end: desk.id })).ended, 'the one that asks').deep.equal([desk.id]);
    expect(await isAdmitted(desk.access)).equal(false);
    expect(tokensOf(await auth.refresh(bob.refresh))).have.keys('access', 'refresh');
  });

  it('is a destructive tool that everybody may use', async () => {
    const { ask, access } = await clientOf(auth, 'alice');
    const client = await mcpClient(auth.base, { authorization: `Bearer ${access}` });
    const { content } = await client.callMeta('describe_tool', { name: 'core_auth_sessions' });
    expect(JSON.parse(String(content[0]?.['text']))).deep.include({
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    });
    expect((await ask({ end: '' })).isError).equal(true);
  });
});
