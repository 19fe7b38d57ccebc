import { expect } from 'chai';
import { exportUrl } from '../../../../plugins/kit/telemetry/exportSettings.ts';

describe('kit: where OTLP goes', () => {
  it('is below the path of the endpoint, whose query stays', () => {
    for (const [endpoint, url] of [
      ['http://collector:4318', 'http://collector:4318/v1/traces'],
      ['http://collector:4318/', 'http://collector:4318/v1/traces'],
      ['https://example.com/otlp', 'https://example.com/otlp/v1/traces'],
      ['https://example.com/otlp/?tenant=a', 'https://example.com/otlp/v1/traces?tenant=a'],
    ] as const)
      expect(exportUrl(endpoint, 'traces', {}), endpoint).equal(url);
  });

  it('is what the environment says, where it says something', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other:4318' };
    expect(exportUrl('http://collector:4318', 'metrics', env)).equal(undefined);
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other:4318/x' };
    expect(exportUrl('http://collector:4318', 'metrics', own)).equal('http://collector:4318/v1/metrics');
    expect(exportUrl(undefined, 'metrics', {})).equal(undefined);
  });
});
