import { expect } from 'chai';
import type { JsonObject } from '../../kernel/index.ts';
import { startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { callBody, callTool, initialize } from '../support/edge.ts';
import type { RawAnswer } from '../support/rawHttp.ts';
import { post, stateless, statelessCall } from '../support/stateless.ts';

const KEY = 'pegboard.dev/owner';
const LIST = { name: 'core_workflow_execution_list' };

/** Calls a meta-tool, as one client does. */
type Ask = (name: string, args: JsonObject) => Promise<RawAnswer>;

function metaOf(answer: RawAnswer): JsonObject {
  return (answer.json().result?.['_meta'] ?? {}) as JsonObject;
}
function textsOf(answer: RawAnswer): string {
  const { content } = answer.json().result as unknown as { content: { text: string }[] };
  return content.map(({ text }) => text).join('\n');
}

describe('e2e: owners without sign-in', () => {
  let gateway: TestGateway;
  const clients: Record<string, Ask> = {};

  before(async () => {
    const steps = [{ id: 'a', tool: 'core_service_list' }];
    gateway = await startGateway({
      files: {
        'config.yaml': 'aggregator: { resultBudget: 1 }\n',
        'workflows/w.yaml': JSON.stringify({ steps }),
      },
    });
    const url = gateway.url();
    for (const name of ['session one', 'session two']) {
      const handle = await initialize(url);
      clients[name] = (tool, args) => callTool(url, handle, callBody(tool, args));
    }
    for (const name of ['handle one', 'handle two']) {
      const handle = metaOf(await post(url, stateless('server/discover')))[KEY];
      clients[name] = (tool, args) => post(url, statelessCall(tool, args, { meta: { [KEY]: handle } }));
    }
    clients['no handle'] = (tool, args) => post(url, statelessCall(tool, args));
  });
  after(() => gateway.stop());

  it('find their results again in either revision and see no others; without an owner handle a result is found by its own handle', async () => {
    const left: { name: string; handle: string }[] = [];
    for (const [name, ask] of Object.entries(clients)) {
      const handle = /"handle": "([^"]+)"/.exec(textsOf(await ask('call_tool', { name: 'workflow_w' })))?.[1];
      expect(handle, name).not.equal(undefined);
      left.push({ name, handle: handle ?? '' });
    }
    for (const [name, ask] of Object.entries(clients)) {
      const { handle: list = '' } = /"handle": "(?<handle>[^"]+)"/.exec(
        textsOf(await ask('call_tool', LIST)),
      )!.groups!;
      for (const { name: other, handle } of left) {
        const { result } = (await ask('get_result', { handle })).json();
        expect(result?.['isError'] === true, `${name} reads the result of ${other}`).equal(
          name !== other && other !== 'no handle',
        );
      }
      if (name === 'no handle') continue;
      expect(textsOf(await ask('get_result', { handle: list })), name).include('"total":1');
    }
  });
});
