import { expect } from 'chai';
import { VERSION } from '../../../../../kernel/index.ts';
import { Dialect } from '../../../../../plugins/upstream/client/rpc/dialect.ts';
import { rpcText } from '../../../../../plugins/upstream/client/rpc/rpcText.ts';
import { AskedClient } from '../../askedClient.ts';

const PREFIX = 'io.modelcontextprotocol/';
const client = new AskedClient({ elicitation: { form: {} }, sampling: {} });

describe('upstream: the form of requests', () => {
  const dialect = new Dialect({ topics: () => ['sampling', 'roots'], logLevel: () => 'warning' });

  it('has neither envelope nor headers before 2026-07-28', () => {
    expect(dialect.envelope('legacy', client)).equal('');
    expect(dialect.headers('legacy', rpcText('tools/call', '', { name: 'a' }))).equal(undefined);
  });

  it('declares of a client what the server may ask, and the log level', () => {
    expect(JSON.parse(`{${dialect.envelope('modern', client)}}`)).deep.equal({
      [`${PREFIX}protocolVersion`]: '2026-07-28',
      [`${PREFIX}clientInfo`]: { name: 'pegboard', version: VERSION },
      [`${PREFIX}clientCapabilities`]: { sampling: {} },
      [`${PREFIX}logLevel`]: 'warning',
    });
  });

  it('declares nothing for the gateway itself', () => {
    const envelope = JSON.parse(`{${dialect.envelope('modern', undefined)}}`) as object;
    expect(envelope).to.have.deep.property(`${PREFIX}clientCapabilities`, {});
    expect(envelope).not.to.have.property(`${PREFIX}logLevel`);
  });

  it('repeats revision, method, name and arguments in headers', () => {
    const version = ['mcp-protocol-version', '2026-07-28'];
    expect(dialect.headers('modern', rpcText('server/discover'))).deep.equal([
      ...version,
      'mcp-method',
      'server/discover',
    ]);
    const call = rpcText('tools/call', '', { name: 'ü', mirrored: ['mcp-param-a', 'b'] });
    expect(dialect.headers('modern', call)).deep.equal([
      ...[...version, 'mcp-method', 'tools/call', 'mcp-name', '=?base64?w7w=?=', 'mcp-param-a', 'b'],
    ]);
  });
});
