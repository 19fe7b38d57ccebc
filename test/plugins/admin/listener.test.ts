import { expect } from 'chai';
import { bootGateway } from '../../support/gateway.ts';
import { freePort } from '../../support/everything.ts';
import { send } from '../../support/rawHttp.ts';
import { openAdmin, urlIn } from './adminGateway.ts';

const off = 'aggregator: { admin: { enabled: false } }\n';
const at = (port: number, bindAddress = '127.0.0.1'): string =>
  JSON.stringify({ aggregator: { admin: { enabled: true, port, bindAddress } } });

describe('the admin listener', () => {
  const aggregator = { host: '127.0.0.1', port: 0 };

  it('is absent unless it is switched on, and comes and goes with an edit of config.yaml', async () => {
    const gateway = await bootGateway({ builtIns: 'all', files: { 'config.yaml': off }, aggregator });
    expect(gateway.log.having('admin pages are served')).deep.equal([]);
    gateway.directory.replace('config.yaml', at(0));
    await gateway.pipeline.reload();
    const url = urlIn(gateway);
    expect((await send(url)).status).equal(200);
    gateway.directory.replace('config.yaml', off);
    await gateway.pipeline.reload();
    const refused = await send(url).then(
      () => 'answered',
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    );
    expect(refused).equal('ECONNREFUSED');
  });

  it('moves to another port while the gateway runs, and stays where it is if that port is taken', async () => {
    const [first, second] = [await freePort(), await freePort()];
    const gateway = await bootGateway({ builtIns: 'all', files: { 'config.yaml': at(first) }, aggregator });
    gateway.directory.replace('config.yaml', at(second));
    await gateway.pipeline.reload();
    expect(urlIn(gateway)).equal(`http://127.0.0.1:${second}`);
    expect((await send(`http://127.0.0.1:${second}`)).status).equal(200);
    const other = await openAdmin();
    gateway.directory.replace('config.yaml', at(Number(new URL(other.url).port)));
    const { applied, issues } = await gateway.pipeline.reload();
    expect(applied).equal(false);
    expect(issues.map(({ message }) => message).join()).include('set aggregator.admin.port to another one');
    expect((await send(`http://127.0.0.1:${second}`)).status).equal(200);
  });

  it('warns at an address that other machines reach, and not at a loopback address', async () => {
    const warnings = async (bindAddress: string): Promise<readonly string[]> => {
      const { gateway } = await openAdmin({ admin: { bindAddress } });
      return (gateway.pipeline.lastReport()?.issues ?? [])
        .filter(({ severity }) => severity === 'warning')
        .map(({ message }) => message);
    };
    expect((await warnings('0.0.0.0')).join()).include('lets other machines reach them');
    expect(await warnings('127.0.0.1')).deep.equal([]);
    expect(await warnings('localhost')).deep.equal([]);
  });
});
