import { createServer, request } from 'node:http';
import * as https from 'node:https';
import type { Agent } from 'node:http';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { exportAgent } from '../../../../plugins/kit/net/exportAgent.ts';
import { defer } from '../../../support/cleanup.ts';
import { forwardProxy } from '../../../support/forwardProxy.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { httpsSite } from '../../../support/httpsSite.ts';
import { listenLocally } from '../../../conformance/listen.ts';

const HOST = 'collector.corp.test';

describe('lib: exportAgent', () => {
  const answerTo = (send: typeof request, url: string, agent: Agent): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = send(url, { method: 'POST', agent }, (answer: IncomingMessage) => {
        text(answer).then(resolve, reject);
      });
      sent.on('error', reject).end('spans');
    });

  it('gives an exporter none where no proxy leads', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', ALL_PROXY: 'http://p.test' };
    expect(exportAgent(env, undefined, 'TRACES')).deep.equal({});
    expect(exportAgent({}, { proxy: 'http://p.test' }, 'TRACES')).deep.equal({});
  });

  it('tunnels to a collector, of http and of https with the variables for its certificate', async () => {
    const plain = await listenLocally(createServer((_, res) => res.end('plain')));
    defer(() => plain.close());
    const site = await httpsSite((_, res) => res.end('tls'), HOST);
    const ports = new Map([
      [`${HOST}:4318`, Number(new URL(plain.url).port)],
      [`${HOST}:443`, site.port],
    ]);
    const proxy = await forwardProxy((host) => ports.get(host));
    const common = { ALL_PROXY: `http://kim:s3cret@${proxy.place}` };
    const agentFor = (env: Readonly<Record<string, string>>, signal: 'TRACES' | 'METRICS'): Agent => {
      const { httpAgentOptions } = exportAgent({ ...common, ...env }, undefined, signal);
      const agent = httpAgentOptions?.(new URL(env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '').protocol);
      if (agent === undefined) throw new Error('no agent');
      defer(() => agent.destroy());
      return agent;
    };
    const http = `http://${HOST}:4318`;
    expect(await answerTo(request, http, agentFor({ OTEL_EXPORTER_OTLP_ENDPOINT: http }, 'METRICS'))).equal(
      'plain',
    );
    const { at } = makeDirectory({ 'ca.pem': site.ca.join('') });
    const tls = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `https://${HOST}`,
      OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: at('ca.pem'),
    };
    expect(await answerTo(https.request, `https://${HOST}`, agentFor(tls, 'TRACES'))).equal('tls');
    const untrusted = await answerTo(https.request, `https://${HOST}`, agentFor(tls, 'METRICS')).then(
      () => 'trusted',
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    );
    expect(untrusted).equal('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(proxy.asked.slice(0, 2)).deep.equal([`CONNECT ${HOST}:4318`, `CONNECT ${HOST}:443`]);
    expect(new Set(proxy.credentials)).deep.equal(new Set(['kim:s3cret']));
  });
});
