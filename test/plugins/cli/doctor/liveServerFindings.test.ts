import { expect } from 'chai';
import { serverFinding } from '../../../../plugins/cli/doctor/liveServerFindings.ts';
import type { ServerRecord } from '../../../../plugins/cli/doctor/liveServerFindings.ts';
import type { Gateway } from '../../../../plugins/cli/gateway.ts';

const GATEWAY = {} as unknown as Gateway;
const SERVER: ServerRecord = {
  name: 'shop',
  type: 'stdio',
  state: 'Running',
  sessionStatus: 'connected',
  suspended: false,
  toolsCount: 20_000,
};

describe('serverFinding', () => {
  it('warns of a connected server of whose lists only a part is known', async () => {
    const gap = 'tools/list has 100000 entries, and only the first 20000 of them are read';
    const message = 'Running, 20000 tools';
    expect(await serverFinding(SERVER, GATEWAY, {})).include({ level: 'ok', message });
    const finding = await serverFinding({ ...SERVER, partialLists: [gap] }, GATEWAY, {});
    expect(finding).include({ level: 'warning', message: `${message}; ${gap}` });
    expect(finding.fix).contain('config.yaml');
  });
});
