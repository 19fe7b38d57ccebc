import { expect } from 'chai';
import { hostOverHttp } from '../conformance/fixtureHost.ts';
import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import {
  APP_PAGE,
  APP_TOOL,
  FULL_RESULT,
  FULL_TOOL,
  PROMPT,
  READ,
  RESOURCE,
  SKILL,
  TEMPLATE,
  extendedServer,
} from '../support/extendedServer.ts';
import { post, stateless } from '../support/stateless.ts';
import { TalkingClient, toldIn } from '../support/talkingClient.ts';
import type { Heard } from '../support/talkingClient.ts';
import { programAt } from '../support/programs.ts';

type Json = Readonly<Record<string, unknown>>;
const CHILD = programAt('test/support/extendedServer.ts');
const WORKFLOW = `
apiVersion: pegboard.dev/v1alpha1
kind: Workflow
metadata: { name: told }
spec:
  description: One step
  steps: [{ id: one, tool: x_child_meta, output: true }]
`;

describe('e2e: extensions', () => {
  let gateway: TestGateway;
  let server: Awaited<ReturnType<typeof hostOverHttp>>;
  let client: TalkingClient;
  before(async () => {
    server = await hostOverHttp(extendedServer);
    const child = { type: 'stdio', autoStart: true, command: [process.execPath, ...CHILD, 'stdio'] };
    gateway = await startGateway({
      files: {
        'config.yaml': '{}',
        'mcpservers/web.yaml': JSON.stringify({ type: 'streamable-http', url: server.url }),
        'mcpservers/child.yaml': JSON.stringify(child),
        'workflows/told.yaml': WORKFLOW,
      },
    });
    const connected = (): boolean =>
      gateway.log.filter(({ text }) => text === 'server connected').length === 2;
    await eventually(connected, 'both servers', 10_000);
    client = await TalkingClient.connect(gateway.url());
  });
  after(async () => {
    client.leave();
    await gateway.stop();
    await server.close();
  });

  /** Sends one request in a revision. @returns its answer, without what 2026-07-28 adds to a result */
  const REVISIONS: readonly (readonly [string, (method: string, params?: Json) => Promise<Heard>])[] = [
    ['2025-11-25', (method, params) => client.request(method, params).answer()],
    [
      '2026-07-28',
      async (method, { _meta, ...params } = {}) => {
        const { text } = await post(
          gateway.url(),
          stateless(method, params, { meta: (_meta ?? {}) as Json }),
        );
        const answer = JSON.parse(text) as Heard;
        return answer.result === undefined ? answer : { ...answer, result: withoutAdded(answer.result) };
      },
    ],
  ];

  for (const [revision, ask] of REVISIONS) {
    const tool = async (name: string, args: Json = {}, more: Json = {}): Promise<Heard> =>
      ask('tools/call', { name, arguments: args, ...more });
    const call = (name: string, more: Json = {}): Promise<Heard> =>
      tool('call_tool', { name, arguments: {} }, more);

    describe(`for a client of ${revision}`, () => {
      it('show all that a server declares of a tool, a resource and a prompt', async () => {
        const { title, outputSchema, annotations, execution, icons, _meta } = FULL_TOOL;
        const declared = { title, outputSchema, annotations, execution, icons, _meta };
        for (const name of ['x_web_full', 'x_child_full'])
          expect(toldIn(await tool('describe_tool', { name }))).deep.include(declared);
        const app = toldIn(await tool('describe_tool', { name: 'x_web_app' })) as Json;
        expect(app).deep.include({ _meta: APP_TOOL._meta }).and.have.property('app');
        expect((await call('x_web_app')).result).not.have.property('isError');
        expect(toldIn(await tool('describe_resource', { uri: RESOURCE.uri }))).deep.include(RESOURCE);
        const named = { ...PROMPT, name: 'x_web_greet' };
        expect(toldIn(await tool('describe_prompt', { name: 'x_web_greet' }))).deep.include(named);
        const { result: listed } = await ask('resources/list');
        expect(listed?.['resources']).deep.include.members([RESOURCE, APP_PAGE, SKILL]);
        const { result: templates } = await ask('resources/templates/list');
        expect(templates?.['resourceTemplates']).deep.include(TEMPLATE);
        const { result: prompts } = await ask('prompts/list');
        expect(prompts?.['prompts']).deep.include(named);
      });

      it('return results as the server sent them, with links, embedded resources and unknown members', async () => {
        expect((await call('x_web_full')).result).deep.equal(FULL_RESULT);
        expect((await ask('resources/read', { uri: RESOURCE.uri })).result).deep.equal(READ);
        const { result: read } = await tool('get_resource', { uri: RESOURCE.uri });
        expect(read?.['structuredContent']).deep.equal(READ);
        const { result: got } = await ask('prompts/get', { name: 'x_web_greet' });
        expect(got?.['_meta']).deep.equal(PROMPT._meta);
      });

      it('take the keys of a client to the servers of its tools, resources, prompts and workflows', async () => {
        const own = { 'example.com/key': { list: [1, null] }, 'agent/call': 'c1' };
        const _meta = { ...own, bare: 1, 'io.modelcontextprotocol/related-task': { taskId: 'x' } };
        const reached = await Promise.all([
          call('x_web_meta', { _meta }).then(toldIn),
          call('x_child_meta', { _meta }).then(toldIn),
          ask('resources/read', { uri: APP_PAGE.uri, _meta }).then(readIn),
          tool('get_resource', { uri: APP_PAGE.uri }, { _meta }).then(toldIn),
          ask('prompts/get', { name: 'x_web_greet', _meta }).then(filledIn),
        ]);
        for (const meta of reached) expect(without(meta as Json, ['progressToken'])).deep.equal(own);
        const steps = JSON.stringify(await call('workflow_told', { _meta }));
        expect(steps).include('example.com/key').and.not.include('related-task');
        expect(without((toldIn(await call('x_web_meta')) ?? {}) as Json, ['progressToken'])).deep.equal({});
      });

      it('refuse a task that a server returns unasked, and return a result that only looks like one', async () => {
        for (const name of ['x_web_task', 'x_child_task', 'x_web_newer_task']) {
          const { result } = await call(name);
          expect(result).deep.include({
            isError: true,
            _meta: { 'pegboard.dev/error': { code: 'UPSTREAM_PROTOCOL', mayHaveRun: true } },
          });
          expect(JSON.stringify(result)).match(/tool \w*task of server \w+ was answered with a task/);
        }
        expect((await call('x_web_no_task')).result).deep.include({ structuredContent: { taskId: '7' } });
      });

      it('refuse the methods of tasks and skills, and say what to do instead', async () => {
        for (const method of ['tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel', 'tasks/update']) {
          const { error } = await ask(method, { taskId: 't' });
          expect(error).deep.equal({
            code: -32601,
            message: `unknown method ${method}: this gateway offers no tasks; call the tool without a task and wait for its result`,
          });
        }
        for (const method of ['skills/list', 'skills/get', 'resources/directory/read']) {
          const { error } = await ask(method, { uri: SKILL.uri });
          expect(error?.code).equal(-32601);
          expect(error?.message).match(/does not offer the skills extension; .* resources\/list$/);
        }
        expect((await ask('example/method')).error?.message).equal('unknown method example/method');
      });

      it('run a call that asks for a task as an ordinary one, which its result says', async () => {
        const task = { ttl: 60_000 };
        const { result } = await call('x_web_full', { task });
        const note = 'not created: this gateway offers no tasks, so the call ran as an ordinary one';
        expect(result).deep.equal({
          ...FULL_RESULT,
          _meta: { ...FULL_RESULT._meta, 'pegboard.dev/task': note },
        });
        const { result: failed } = await call('x_web_task', { task });
        expect(failed?.['_meta']).include({ 'pegboard.dev/task': note });
      });

      it('read the page of an app and the file of a skill under the uris that the server gave them', async () => {
        for (const { uri } of [APP_PAGE, SKILL]) {
          const { result } = await ask('resources/read', { uri });
          expect(result?.['contents']).to.have.nested.property('[0].uri', uri);
        }
      });
    });
  }
});

/** The parsed text of a resource. */
function readIn({ result }: Heard): unknown {
  const [content] = result?.['contents'] as readonly { readonly text: string }[];
  return JSON.parse(content?.text ?? 'null') as unknown;
}
/** The parsed text of a prompt's message. */
function filledIn({ result }: Heard): unknown {
  const [message] = result?.['messages'] as readonly { readonly content: { readonly text: string } }[];
  return JSON.parse(message?.content.text ?? 'null') as unknown;
}

/** What the front of 2026-07-28 adds to every result. */
const ADDED = ['resultType', 'ttlMs', 'cacheScope'];
const ADDED_META = ['io.modelcontextprotocol/serverInfo', 'pegboard.dev/owner'];

function withoutAdded(result: Json): Json {
  const left = without(result, ADDED);
  const meta = without(left['_meta'] as Json, ADDED_META);
  return Object.keys(meta).length === 0 ? without(left, ['_meta']) : { ...left, _meta: meta };
}

function without(value: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
