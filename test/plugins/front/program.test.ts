import { expect } from 'chai';
import { textResult } from '../../../kernel/index.ts';
import { callBody, callTool, initializeBody, metaTool, postMcp, startEdge } from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { makeDirectory } from '../../support/directory.ts';
import { post, statelessCall } from '../../support/stateless.ts';

const WHO = metaTool('who', (_, { client }) => textResult(JSON.stringify(client?.program ?? null)));

describe('front: the program of a client', () => {
  const directory = makeDirectory();
  const start = (): Promise<Edge> => startEdge({ tools: [WHO], directory });
  const opened = async ({ url }: Edge, clientInfo: unknown): Promise<string> => {
    const { params, ...rest } = JSON.parse(initializeBody()) as { params: object };
    const answer = await postMcp(url, { ...rest, params: { ...params, clientInfo } });
    return String(answer.headers['mcp-session-id']);
  };
  const shown = ({ text }: { readonly text: string }): unknown =>
    JSON.parse(/"text":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]?.replaceAll('\\"', '"') ?? '');

  it('is known to tools as its client names it at initialize, in every process that opens the session', async () => {
    let edge = await start();
    const names = ['claude-code', 'x'.repeat(500), undefined];
    const handles: string[] = [];
    for (const name of names) handles.push(await opened(edge, { name, version: '1' }));
    const programs = async (): Promise<unknown[]> =>
      Promise.all(handles.map(async (handle) => shown(await callTool(edge.url, handle, callBody('who')))));
    const expected = ['claude-code', 'x'.repeat(40), null];
    expect(await programs()).deep.equal(expected);
    await edge.gateway.stop();
    edge = await start();
    expect(await programs()).deep.equal(expected);
  });

  it('is known as each request of 2026-07-28 names it', async () => {
    const { url } = await start();
    const meta = { 'io.modelcontextprotocol/clientInfo': { name: 'claude-code', version: '1' } };
    expect(shown(await post(url, statelessCall('who', {}, { meta })))).equal('claude-code');
    expect(shown(await post(url, statelessCall('who')))).equal('');
  });
});
