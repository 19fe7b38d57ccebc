import { expect } from 'chai';
import { jsonResult, rawResult } from '../../../../kernel/index.ts';
import { ownerOf } from '../../../../plugins/kit/authority/ownerOf.ts';
import type { ClientAnswer } from '../../../../kernel/index.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { callBody, initialize, metaTool, postMcp, startEdge } from '../../../support/edge.ts';
import type { Edge } from '../../../support/edge.ts';
import { identify } from '../../../support/identify.ts';
import type { RawAnswer } from '../../../support/rawHttp.ts';
import { post, stateless, statelessCall } from '../../../support/stateless.ts';
import type { StatelessOptions } from '../../../support/stateless.ts';
import { until } from '../../../support/until.ts';

type Json = Readonly<Record<string, unknown>>;
const KEY = 'pegboard.dev/owner';
const ANN = { 'x-caller': 'https://as.example ann' };
const FORM = { capabilities: { elicitation: {} } };

let runs = 0;
const whose = metaTool('whose', (_, { request }) => {
  runs += 1;
  return jsonResult(ownerOf(request));
});
/** Asks its client, then answers with its owner. */
const asks = metaTool('asks', async (_, { request, client, cancel }) => {
  const question = { method: 'elicitation/create', params: '{"message":"sure?"}' } as const;
  const { kind } = (await client?.ask(question, cancel)) as ClientAnswer;
  return jsonResult(kind === 'result' ? ownerOf(request) : kind);
});
/** A result of a server that tries to set an owner handle. */
const plants = metaTool('plants', ({ meta }) => rawResult(`{"content":[],"_meta":${String(meta)}}`));
const echo = metaTool('echo', (args) => jsonResult(args));
const TOOLS = [whose, asks, plants, echo];

function handleIn(answer: RawAnswer): unknown {
  const { result } = answer.json();
  return (result?.['_meta'] as Json | undefined)?.[KEY];
}
function ownerIn(answer: RawAnswer): unknown {
  const [item] = (answer.json().result?.['content'] ?? []) as { text: string }[];
  return JSON.parse(item?.text ?? 'null');
}
const bringing = (handle: unknown): StatelessOptions => ({ meta: { [KEY]: handle } });

describe('front, revision 2026-07-28: owners without sign-in', () => {
  let edge: Edge;
  before(async () => {
    edge = await startEdge({ tools: TOOLS, plugin: identify });
  });
  const ask = (more?: StatelessOptions, headers: Readonly<Record<string, string>> = {}, at = edge) =>
    post(at.url, statelessCall('whose', {}, more), headers);

  it('are one for each request without a handle, and one for all requests with the same handle', async () => {
    const [first, second] = [await ask(), await ask()];
    expect(ownerIn(first)).not.equal(ownerIn(second));
    for (const { answer, handle } of [first, second].map((one) => ({ answer: one, handle: handleIn(one) })))
      for (let at = 0; at < 2; at += 1) {
        const again = await ask(bringing(handle));
        expect(ownerIn(again)).equal(ownerIn(answer));
        expect(handleIn(again)).equal(undefined);
      }
  });

  it('receive their handle from server/discover, and once from an answer that keeps something for them', async () => {
    for (const request of [stateless('server/discover'), statelessCall('whose')]) {
      const handle = handleIn(await post(edge.url, request));
      expect(handle).match(/^[\w-]{100,300}$/);
      const { _meta: meta, ...params } = request.body.params;
      const again = { ...params, _meta: { ...(meta as Json), [KEY]: handle } };
      const known = { ...request, body: { ...request.body, params: again } };
      expect(handleIn(await post(edge.url, known))).equal(undefined);
    }
  });

  it('appear neither in an answer that is publicly cacheable, nor in one that keeps nothing for them', async () => {
    const tools = await post(edge.url, stateless('tools/list'));
    expect(tools.json().result).include({ cacheScope: 'public' });
    for (const answer of [tools, await post(edge.url, statelessCall('echo'))])
      expect(answer.text).include('"_meta"').and.not.include(KEY);
  });

  it('have no effect on a caller who has signed in', async () => {
    const signedIn = await ask({}, ANN);
    expect(handleIn(signedIn)).equal(undefined);
    const handle = handleIn(await ask());
    for (const more of [bringing(handle), bringing('of another time')])
      expect(ownerIn(await ask(more, ANN))).equal(ownerIn(signedIn));
  });

  it('cannot be invented, guessed or taken from elsewhere: such a handle is refused before anything runs', async () => {
    const handle = String(handleIn(await ask()));
    const foreign = handleIn(await ask({}, {}, await startEdge({ tools: TOOLS })));
    const before = runs;
    const flipped = Array.from(
      handle,
      (char, at) => `${handle.slice(0, at)}${char === 'A' ? 'B' : 'A'}${handle.slice(at + 1)}`,
    );
    const session = await initialize(edge.url);
    for (const one of [...flipped, '', 'x', `${handle}A`, handle.slice(1), foreign, session, 5, null, {}]) {
      const answer = await ask(bringing(one));
      expect(answer.status, String(one)).equal(400);
      expect(answer.json()).include({ id: 1 });
      expect(answer.json().error).include({
        code: -32602,
        message:
          'params._meta "pegboard.dev/owner" cannot be opened: it has expired, or this gateway did not create it; ' +
          'leave it out, and take the new one from the answer',
      });
    }
    expect(runs).equal(before);
  });

  it('have handles that open no session', async () => {
    const handle = String(handleIn(await ask()));
    expect((await postMcp(edge.url, callBody('whose'), { 'mcp-session-id': handle })).status).equal(404);
  });

  it('have handles that survive a restart, and expire as sessions do', async () => {
    const directory = makeDirectory();
    const first = await startEdge({ tools: TOOLS, directory });
    const answer = await ask({}, {}, first);
    await first.gateway.stop();
    const next = await startEdge({ tools: TOOLS, directory });
    expect(ownerIn(await ask(bringing(handleIn(answer)), {}, next))).equal(ownerIn(answer));
    await next.configure({ plugins: { front: { config: { sessionTtlSeconds: 1 } } } });
    const late = async (): Promise<boolean> =>
      (await ask(bringing(handleIn(answer)), {}, next)).json().error?.code === -32602;
    await until(late, { what: 'the handle expires' });
  });

  it('stay the same while a call asks its client', async () => {
    const asked = await post(edge.url, statelessCall('asks', {}, FORM));
    const { result } = asked.json();
    expect(result).include({ resultType: 'input_required' });
    const [key = ''] = Object.keys(result?.['inputRequests'] as Json);
    const back = { requestState: result?.['requestState'], inputResponses: { [key]: { action: 'accept' } } };
    const answer = await post(edge.url, statelessCall('asks', {}, { ...FORM, back }));
    expect(ownerIn(await ask(bringing(handleIn(answer))))).equal(ownerIn(answer));
  });

  it("are set by Pegboard alone: a server's value under that name reaches no client", async () => {
    const spelled = ['"pegboard.dev/owner"', '"pegboard.dev\\u002fowner"', '"pegboard.dev/\\u006fwner"'];
    const known = handleIn(await ask());
    for (const name of spelled) {
      const meta = `{"x":12345678901234567890, ${name}:"planted"}`;
      for (const more of [{}, bringing(known)]) {
        const answer = await post(edge.url, statelessCall('plants', { meta }, more));
        expect(handleIn(answer)).not.equal('planted');
        expect(answer.text).include('12345678901234567890');
      }
    }
    const deep = `{${spelled[0] ?? ''}:"planted","deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect((await post(edge.url, statelessCall('plants', { meta: deep }, bringing(known)))).status).equal(
      200,
    );
  });
});
