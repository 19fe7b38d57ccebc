import { expect } from 'chai';
import type { OutputQuery } from '../../../plugins/contracts/services.ts';
import { READING } from '../../../kernel/coreTool.ts';
import { askCore } from '../../support/coreTools.ts';
import { boot, fakeService, refusal } from './fakeService.ts';

const LINE = { time: '2026-01-01T00:00:00.000Z', text: 'hello' };

describe('plugins/core-services: core_server_logs', () => {
  it('shows what the process of a server wrote, and passes on how much and since when', async () => {
    const asked: OutputQuery[] = [];
    const service = {
      ...fakeService('a', 'running').service,
      output: (_: unknown, query: OutputQuery) => {
        asked.push(query);
        return { lines: [LINE], next: 'x-1' };
      },
    };
    const gateway = await boot([service]);
    const answer = { server: 'a', lines: [LINE], next: 'x-1' };
    expect(await askCore(gateway, 'core_server_logs', { server: 'a' })).to.deep.equal(answer);
    await askCore(gateway, 'core_server_logs', { server: 'a', lines: 7, after: 'x-1' });
    expect(asked).to.deep.equal([{ lines: 100 }, { lines: 7, after: 'x-1' }]);
    expect(gateway.kernel.catalogue.shared('core_server_logs')?.annotations).to.deep.equal(READING);
  });

  it('says whose instance it is, and has no lines before that began', async () => {
    const { service } = fakeService('a', 'running');
    const instance = 'perSession; your next call begins one';
    const gateway = await boot([{ ...service, instanceFor: () => instance, output: () => undefined }]);
    const answer = await askCore(gateway, 'core_server_logs', { server: 'a' });
    expect(answer).to.deep.equal({ server: 'a', instance, lines: [] });
  });

  it('refuses unknown servers, services without a process, and numbers of lines out of range', async () => {
    const gateway = await boot([fakeService('alpha', 'running').service]);
    const refused = (args: object): Promise<string> => refusal(gateway, 'core_server_logs', { ...args });
    expect(await refused({ server: 'alpah' })).to.match(/^SERVICE_NOT_FOUND .*did you mean alpha\?/);
    for (const server of ['alpha', 'mcp-aggregator'])
      expect(await refused({ server })).to.match(/^SERVICE_UNSUPPORTED .*has no process of its own/);
    for (const lines of [0, 1_001, 1.5])
      expect(await refused({ server: 'alpha', lines })).to.match(/^TOOL_ARGUMENTS .*lines/);
  });
});
