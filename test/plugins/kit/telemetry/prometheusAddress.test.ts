import { expect } from 'chai';
import { prometheusAddress } from '../../../../plugins/kit/telemetry/prometheusAddress.ts';

describe('the address of /metrics', () => {
  it('is localhost:9464, or what the variables name', () => {
    const OTEL_EXPORTER_PROMETHEUS_HOST = '0.0.0.0';
    const OTEL_EXPORTER_PROMETHEUS_PORT = '9000';
    expect(prometheusAddress({})).deep.equal({ host: 'localhost', port: 9464 });
    expect(prometheusAddress({ OTEL_EXPORTER_PROMETHEUS_HOST })).deep.equal({ host: '0.0.0.0', port: 9464 });
    expect(prometheusAddress({ OTEL_EXPORTER_PROMETHEUS_PORT })).deep.equal({
      host: 'localhost',
      port: 9000,
    });
    const empty = { OTEL_EXPORTER_PROMETHEUS_HOST: '', OTEL_EXPORTER_PROMETHEUS_PORT: '' };
    expect(prometheusAddress(empty)).deep.equal({ host: 'localhost', port: 9464 });
  });
});
