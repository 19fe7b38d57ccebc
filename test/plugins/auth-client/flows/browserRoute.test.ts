import { expect } from 'chai';
import { html, page } from '../../../../plugins/kit/http/page.ts';
import { LineLimit } from '../../../../plugins/kit/http/lineLimit.ts';
import type { HttpExchange } from '../../../../plugins/contracts/http.ts';
import { browserRoute } from '../../../../plugins/auth-client/flows/browserRoute.ts';
import { failurePage } from '../../../../plugins/auth-client/flows/failurePage.ts';
import type { Reply } from '../../../../kernel/index.ts';
import { captureLog } from '../../../support/log.ts';
import type { CapturedLog } from '../../../support/log.ts';
import { requestOf } from '../../../support/requests.ts';

describe('auth-client: the log lines of its pages', () => {
  let log: CapturedLog;
  beforeEach(() => (log = captureLog()));

  /** Opens a page with that answer so many times. */
  async function open(reply: Reply, times = 1, remoteAddress = '192.0.2.1'): Promise<Reply | undefined> {
    const handle = (): Promise<Reply> => Promise.resolve(reply);
    const route = browserRoute({ method: 'GET', path: '/page', handle }, { isHttps: true }, refusals);
    let answer: Reply | undefined;
    for (let at = 0; at < times; at += 1)
      answer = await route.handle({} as HttpExchange, { ...requestOf(), remoteAddress });
    return answer;
  }
  let refusals: LineLimit;
  beforeEach(() => (refusals = new LineLimit(log, () => 1)));
  afterEach(() => refusals.end());

  it('say which sign-in has failed and why, and show the browser nothing of it', async () => {
    const facts = { server: 'notes', issuer: 'https://issuer.example', cause: 'access_denied' };
    const answer = await open(failurePage('denied', facts));
    const [line, ...others] = log.records;
    expect(others).to.deep.equal([]);
    expect(line).to.deep.include({ level: 'warn', text: 'sign-in at a server not completed' });
    const where = { reason: 'denied', path: '/page', address: '192.0.2.1', request: 'test-1' };
    expect(line?.data).to.deep.equal({ ...facts, ...where });
    expect(answer).to.have.keys('status', 'headers', 'body');
    expect(JSON.stringify(answer)).to.not.match(/notes|issuer|access_denied/);
  });

  it('are one for a storm from one address, and one for each address and failure', async () => {
    await open(failurePage('expired'), 100);
    await open(failurePage('no-link'), 100);
    await open(failurePage('expired'), 100, '192.0.2.2');
    expect(log.records.map(({ level, data }) => [level, data['reason'], data['address']])).to.deep.equal([
      ['info', 'expired', '192.0.2.1'],
      ['info', 'no-link', '192.0.2.1'],
      ['info', 'expired', '192.0.2.2'],
    ]);
  });

  it('are one for each server, though the failures of all of them have the same reason', async () => {
    for (const server of ['notes', 'tasks']) await open(failurePage('failed', { server }), 3);
    expect(log.records.map(({ data }) => data['server'])).to.deep.equal(['notes', 'tasks']);
    refusals.end();
    const most = { address: '192.0.2.1', reason: 'failed', server: 'notes', lines: 2 };
    expect(log.having('left out').map(({ data }) => data)).to.deep.equal([{ lines: 4, most, sources: 2 }]);
  });

  it('are not written for a page that shows success', async () => {
    expect(await open(page('Signed in', html`<p>Done</p>`))).to.include({ status: 200 });
    expect(log.records).to.deep.equal([]);
  });
});
