import { expect } from 'chai';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { initializeBody } from '../../../support/edge.ts';
import { openSocket } from '../../../support/rawHttp.ts';

describe('auth-server: hostile Authorization headers', () => {
  let auth: AuthServer;
  let token: string;
  before(async () => {
    auth = await startAuthServer();
    token = (await auth.tokens()).access;
  });

  /** Bytes as they are: clients of Node.js would refuse some of them. @returns status and body */
  async function sent(
    ...lines: readonly string[]
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { write, closed } = await openSocket(auth.base.replace('localhost', '127.0.0.1'));
    const body = initializeBody();
    const head = [
      'POST /mcp HTTP/1.1',
      `Host: ${new URL(auth.base).host}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${body.length}`,
      'Connection: close',
      ...lines,
    ];
    write(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1'));
    const text = await closed;
    return { status: Number(text.split(' ', 2)[1]), text };
  }

  it('accepts the scheme in any case, and spaces around the token', async () => {
    for (const value of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`, `Bearer ${token}   `])
      expect((await sent(`Authorization: ${value}`)).status, value.replace(token, '…')).equal(200);
  });

  it('refuses two Authorization headers, whichever is valid', async () => {
    const [good, bad] = [`Authorization: Bearer ${token}`, 'Authorization: Bearer garbage'];
    for (const pair of [
      [good, bad],
      [bad, good],
      [good, good],
      [good, good.replace('Authorization', 'aUTHORIZATION')],
    ])
      expect((await sent(...pair)).status).equal(400);
  });

  it('refuses other schemes and malformed credentials with one text', async () => {
    const values: Readonly<Record<string, string>> = {
      'another scheme': `Token ${token}`,
      basic: `Basic ${Buffer.from(`test-client:${token}`).toString('base64')}`,
      negotiate: 'Negotiate YII=',
      'no scheme': token,
      'no space': `Bearer${token}`,
      'no token': 'Bearer',
      'an empty token': 'Bearer  ',
      empty: '',
      'two tokens': `Bearer ${token} ${token}`,
      'a list': `Bearer garbage, Bearer ${token}`,
      'a list in the other order': `Bearer ${token}, Bearer garbage`,
      'auth-params': `Bearer token="${token}"`,
      quoted: `Bearer "${token}"`,
      'a tab': `Bearer\t${token}`,
      'other characters': `Bearer ${token}\xe9\xff`,
      'an encoded character': `Bearer ${token}%00`,
      'the token twice': `Bearer ${token}${token}`,
      'another case': `Bearer ${token.toUpperCase()}`,
      'a JWT of nothing': 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.',
      'a proof scheme without proof': `DPoP ${token}`,
    };
    for (const [what, value] of Object.entries(values)) {
      const { status, text } = await sent(`Authorization: ${value}`);
      expect(status, what).equal(401);
      expect(text, what).include('resource_metadata=').and.not.include(token);
    }
    expect((await sent(`X-Authorization: Bearer ${token}`, `Cookie: access_token=${token}`)).status).equal(
      401,
    );
    expect((await sent(`Proxy-Authorization: Bearer ${token}`)).status).equal(401);
  });

  it('refuses very long tokens quickly, and stores and logs nothing of them', async () => {
    const records = (await auth.vault.list('oauth-')).length;
    const long = 'A'.repeat(12_000);
    for (const value of [long, `${long}.${long.slice(9_000)}.x`, `${'a.'.repeat(6_000)}b`, `${long}=====`]) {
      const { status, text } = await sent(`Authorization: Bearer ${value}`);
      expect(status).equal(401);
      expect(text).not.include('AAAA');
    }
    expect((await sent(`Authorization: Bearer ${'A'.repeat(100_000)}`)).status).equal(431);
    expect((await auth.vault.list('oauth-')).length).equal(records);
    expect(JSON.stringify(auth.gateway.log.records)).not.include('AAAA');
  });
});
