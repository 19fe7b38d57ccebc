import { expect } from 'chai';
import { writingIn } from '../../../../plugins/admin/data/standardError.ts';
import { ServiceSource } from '../../../../plugins/contracts/services.ts';
import { until } from '../../../support/until.ts';
import type { AdminSite } from '../adminGateway.ts';
import { openBooth, TOKEN } from '../booth.ts';

interface Facts {
  readonly standardError?: {
    readonly instance?: string;
    readonly lines: readonly ({ readonly text: string } | { readonly started: true })[];
  };
}
const remote = JSON.stringify({ type: 'streamable-http', url: 'http://127.0.0.1:9/mcp', autoStart: false });

describe('the page of a stdio server', () => {
  const linesOf = async (site: AdminSite): Promise<string[]> => {
    const { standardError } = await site.facts<Facts>('/mcps/booth');
    return (standardError?.lines ?? []).flatMap((line) => ('text' in line ? line.text : []));
  };

  it('shows the end of its standard error with times, without secrets and as text, and no part of it for a remote server', async () => {
    const site = await openBooth({ 'mcpservers/remote.yaml': remote });
    const line = await until(async () => (await linesOf(site))[0]);
    expect(line).include('<b>listening</b> with ').and.not.include(TOKEN);
    const { text } = await site.get('/mcps/booth');
    expect(text).include('Standard error').and.include('(a process was started)');
    expect(text).include('&lt;b&gt;listening&lt;/b&gt; with').and.not.include(TOKEN);
    expect(await site.facts('/mcps/remote')).not.have.property('standardError');
    expect((await site.get('/mcps/remote')).text).not.include('Standard error');
  });

  it('is read again after a line was written, and not without one', async () => {
    const site = await openBooth();
    await until(async () => (await linesOf(site)).length === 1);
    const { registry } = site.gateway.kernel;
    const scope = { all: () => registry.all(ServiceSource.id) } as unknown as Parameters<typeof writingIn>[0];
    const hasWritten = writingIn(scope);
    expect([hasWritten(), hasWritten()]).deep.equal([true, false]);
    await site.post('/mcps/booth/restart');
    await until(async () => (await linesOf(site)).length === 2);
    expect([hasWritten(), hasWritten()]).deep.equal([true, false]);
  });
});
