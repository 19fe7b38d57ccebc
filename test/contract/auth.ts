import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { OTHER_SURFACE } from './callers.ts';
import { fixture } from './fixture.ts';
import { startGateway } from './gateway.ts';
import type { PluginEntries, TestGateway } from './gateway.ts';
import { mcpClient } from './mcpClient.ts';

type Headers = Readonly<Record<string, string>>;

export interface AuthUnderTest {
  /** Name of the plugin under test. */
  readonly name: string;
  /** Its entry of `plugins` in config.yaml, with a `module` unless it is built in, and a `config`. */
  readonly entry: { readonly module?: string; readonly config?: Readonly<Record<string, unknown>> };
  /** Headers of a caller that must be admitted, and the expected identity. */
  readonly good: { readonly headers: Headers; readonly subject: string };
  /** Headers with an invalid credential. */
  readonly bad: { readonly headers: Headers };
}

const EDGE = ['http', 'front', 'transport-http'];

/** Requirements on every auth surface. Declares a mocha suite. @param make called for every test */
export function authContract(make: () => AuthUnderTest | Promise<AuthUnderTest>): void {
  describe('as an auth surface', () => {
    let subject: AuthUnderTest;
    let gateway: TestGateway;
    const pluginsWith = (entry: PluginEntries[string]): PluginEntries => ({
      'contract-callers': fixture('callers'),
      [subject.name]: entry,
    });
    const ask = (path: 'caller' | 'public', headers: Headers = {}): Promise<Answer> =>
      get(`${gateway.url()}/contract/${path}`, headers);

    beforeEach(async () => {
      subject = await make();
      const plugins = pluginsWith(subject.entry);
      gateway = await startGateway({ plugins, builtIns: [...EDGE, subject.name] });
    });
    afterEach(() => gateway.stop());

    it('identifies the caller', async () => {
      const answer = await ask('caller', subject.good.headers);
      assert.deepEqual([answer.status, answer.subject], [200, subject.good.subject]);
    });

    it('refuses a request without a credential with 401 and a challenge', async () => {
      const answer = await ask('caller');
      assert.equal(answer.status, 401);
      assert.match(
        answer.challenge ?? '',
        /^[!#$%&'*+.^_`|~\w-]+/,
        'WWW-Authenticate names a scheme (RFC 9110 11.6.1)',
      );
      assert.notEqual(answer.text, '', 'the body names the next step');
    });

    it('refuses a wrong credential exactly like a missing one', async () => {
      const [wrong, none] = [await ask('caller', subject.bad.headers), await ask('caller')];
      assert.equal(wrong.status, 401);
      assert.equal(wrong.text, none.text, 'the answer does not reveal how close the credential was');
    });

    it('lets public requests through, with or without a credential', async () => {
      assert.equal((await ask('public')).status, 200);
      assert.equal((await ask('public', subject.bad.headers)).status, 200);
    });

    it('does not identify a caller that another surface has already identified', async () => {
      for (const own of [{}, subject.good.headers]) {
        const answer = await ask('caller', { ...own, [OTHER_SURFACE]: 'someone' });
        assert.deepEqual([answer.status, answer.subject], [200, 'someone']);
      }
    });

    it('serves an MCP session only to the caller that opened it', async () => {
      const client = await mcpClient(gateway.url(), subject.good.headers);
      assert.deepEqual(await client.request('ping'), {});
      await client.close();
      await assert.rejects(() => mcpClient(gateway.url(), subject.bad.headers), /HTTP 401/);
      await assert.rejects(() => mcpClient(gateway.url()), /HTTP 401/);
    });

    it('does not show its caller more tools under a wider X-Service-Toolset', async () => {
      const builtIns = [...EDGE, 'metatools', 'toolsets', 'core-config', subject.name];
      const narrowing = await startGateway({ plugins: pluginsWith(subject.entry), builtIns });
      const seenWith = async (headers: Headers): Promise<unknown> => {
        const client = await mcpClient(narrowing.url(), { ...subject.good.headers, ...headers });
        const list = await client.request('tools/call', { name: 'list_tools' });
        await client.close();
        const [item] = list['content'] as readonly { readonly text: string }[];
        return (JSON.parse(item?.text ?? '') as { tools: unknown }).tools;
      };
      try {
        const own = await seenWith({});
        for (const toolset of ['preset:full', 'preset:none, preset:full', 'tool:core_config_save'])
          for (const tool of (await seenWith({ 'x-service-toolset': toolset })) as readonly unknown[])
            assert.ok(
              (own as readonly unknown[]).some((one) => isDeepStrictEqual(one, tool)),
              'it was widened',
            );
      } finally {
        await narrowing.stop();
      }
    });

    it('never shows a credential in an answer or in the log', async () => {
      const credentials = [...Object.values(subject.good.headers), ...Object.values(subject.bad.headers)];
      const answers = [await ask('caller', subject.bad.headers), await ask('caller', subject.good.headers)];
      const seen = JSON.stringify([answers, gateway.log]);
      for (const credential of credentials) assert.ok(!seen.includes(credential), 'a credential was shown');
    });

    it('neither lets strangers in nor refuses its callers while it restarts', async () => {
      let isDone = false;
      const statuses = { good: new Set<number>(), none: new Set<number>() };
      const hammer = async (kind: 'good' | 'none', headers: Headers): Promise<void> => {
        while (!isDone) statuses[kind].add((await ask('caller', headers)).status);
      };
      const hammering = [hammer('good', subject.good.headers), hammer('none', {}), hammer('none', {})];
      try {
        for (let round = 0; round < 10; round += 1) await gateway.restart(subject.name);
      } finally {
        isDone = true;
        await Promise.all(hammering);
      }
      assert.deepEqual([...statuses.good], [200]);
      assert.deepEqual([...statuses.none], [401]);
    });

    it('stops guarding when it is switched off and guards again when it is switched on, live', async () => {
      assert.equal((await gateway.configure(pluginsWith(false))).applied, true);
      assert.equal((await ask('caller')).status, 200);
      assert.equal((await gateway.configure(pluginsWith(subject.entry))).applied, true);
      assert.equal((await ask('caller')).status, 401);
    });

    it('keeps guarding when its new configuration is rejected', async () => {
      const config = { ...subject.entry.config, 'no such key': true };
      const report = await gateway.configure(pluginsWith({ ...subject.entry, config }));
      assert.equal(report.applied, false, 'unknown keys are errors: additionalProperties: false');
      assert.match(report.issues[0]?.message ?? '', /no such key/);
      assert.equal((await ask('caller')).status, 401);
      assert.equal((await ask('caller', subject.good.headers)).status, 200);
    });
  });
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly challenge: string | null;
  readonly subject: unknown;
}

async function get(url: string, headers: Headers): Promise<Answer> {
  const answer = await fetch(url, { headers });
  const text = await answer.text();
  const challenge = answer.headers.get('www-authenticate');
  const subject = answer.status === 200 ? (JSON.parse(text) as { subject: unknown }).subject : undefined;
  return { status: answer.status, text, challenge, subject };
}
