import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { JsonObject } from '../../kernel/index.ts';
import { mcpClient } from '../contract/index.ts';
import type { McpClient } from '../contract/index.ts';
import { newBrowser } from '../support/browser.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { EVERYTHING, freePort } from '../support/everything.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import { packedFolder } from '../support/packed.ts';
import { needPrometheus, startPrometheus } from '../support/prometheus.ts';
import type { Prometheus } from '../support/prometheus.ts';
import { servePegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const exampleAt = (path: string): string => join(packedFolder(), 'examples/observe', path);

/** Shown only by a gateway whose definitions are objects of Kubernetes, as in plugins/metrics/readme.test.ts. */
const IN_A_CLUSTER = 'pegboard_definitions_stale_seconds';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}
interface Compose {
  readonly services: Readonly<Record<string, { readonly volumes: readonly string[] }>>;
}
interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}
interface Tests {
  readonly tests: readonly {
    readonly input_series: readonly { readonly values: string }[];
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly object[];
    }[];
  }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
}

/** Servers that work, fail, and want a sign-in, and workflows that work and fail. */
async function writeDefinitions(directory: Directory): Promise<void> {
  // Its tokens are refreshed while the test runs.
  const site = await startGuardedSite({ issuer: { lifetime: 5 } });
  const stdio = (command: readonly string[]): string =>
    JSON.stringify({ type: 'stdio', command, autoStart: true });
  const steps = (tool: string, args: object): string =>
    JSON.stringify({ description: tool, steps: [{ id: 'only', tool, args }] });
  directory.write('config.yaml', 'aggregator: { oauth: { mcpClient: { enabled: true } } }\n');
  directory.write('mcpservers/everything.yaml', stdio([process.execPath, EVERYTHING, 'stdio']));
  directory.write('mcpservers/broken.yaml', stdio([process.execPath, '-e', 'process.exit(1)']));
  directory.write('mcpservers/notes.yaml', site.definition());
  directory.write('workflows/good.yaml', steps('x_everything_echo', { message: 'hi' }));
  directory.write('workflows/bad.yaml', steps('x_everything_missing', {}));
}

/** What agents do: search, call, err. */
async function useTools(client: McpClient): Promise<void> {
  const call = (name: string, args: JsonObject): Promise<unknown> =>
    client.callTool(name, args).catch(() => undefined);
  await client.callMeta('filter_tools', { query: 'echo a message' });
  await call('x_everything_echo', { message: 'hello' });
  await call('x_everything_get-sum', { a: 'no number' });
  await call('x_notes_whoami', {});
  await call('x_guessed', {});
  await call('workflow_good', {});
  await call('workflow_bad', {});
}

describe('examples/observe with Prometheus', function () {
  this.timeout(180_000);
  before(function () {
    needPrometheus(this);
  });

  /** The example as it is shipped; only scraping and waiting are faster. */
  async function start(port: number): Promise<Prometheus> {
    const text = (name: string): string => readFileSync(exampleAt(name), 'utf8');
    return startPrometheus({
      'prometheus.yml': text('prometheus.yml').replaceAll('15s', '1s').replace('9464', String(port)),
      'alerts.yml': text('alerts.yml').replaceAll(/\bfor: \w+/g, 'for: 2s'),
    });
  }

  it('finds data for every query of the dashboard and every metric of the alerts; an alert fires', async () => {
    const port = await freePort();
    const directory = makeDirectory();
    await writeDefinitions(directory);
    const pegboard = await servePegboard(directory.path, [], {
      env: { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: String(port) },
    });
    const prometheus = await start(port);
    const client = await mcpClient(pegboard.url);
    const login = await client.callTool('core_auth_login', { server: 'notes' });
    const { authUrl = '' } = (login.structuredContent ?? {}) as { readonly authUrl?: string };
    expect((await newBrowser().open(authUrl)).text).include('igned in');

    const over = new AbortController();
    const load = (async () => {
      while (!over.signal.aborted) await useTools(client);
    })();
    try {
      const { panels } = JSON.parse(readFileSync(exampleAt('dashboard.json'), 'utf8')) as Dashboard;
      const shown = panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr }) => [title, expr] as const),
      );
      expect(shown.length).greaterThan(20);
      for (const [title, expr] of shown) {
        const query = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '10s');
        await until(async () => (await prometheus.query(query)).length > 0, {
          what: `data for "${title}": ${query}`,
          withinMs: 30_000,
        });
      }
      const { groups } = parse(readFileSync(exampleAt('alerts.yml'), 'utf8')) as Rules;
      const rules = groups.flatMap((group) => group.rules);
      for (const { alert, expr } of rules) {
        await prometheus.query(expr);
        for (const [name] of expr.matchAll(/\b(?:mcp|nodejs|pegboard)_\w+/g))
          if (name === IN_A_CLUSTER)
            expect(await prometheus.query(name), 'outside of a cluster').deep.equal([]);
          else expect(await prometheus.query(name), `${alert}: ${name}`).not.deep.equal([]);
      }
      await until(
        async () =>
          (await prometheus.alerts()).some(
            ({ state, labels }) =>
              state === 'firing' &&
              labels['alertname'] === 'PegboardServerDown' &&
              labels['server'] === 'broken',
          ),
        { what: 'the alert of the broken server', withinMs: 30_000 },
      );
    } finally {
      over.abort();
      await load;
    }
  });

  it('has alerts that promtool finds right', () => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['test', 'rules', exampleAt('alert-tests.yml')],
      {
        encoding: 'utf8',
      },
    );
    expect(status, stdout + stderr).equal(0);
    const { groups } = parse(readFileSync(exampleAt('alerts.yml'), 'utf8')) as Rules;
    const { tests } = parse(readFileSync(exampleAt('alert-tests.yml'), 'utf8')) as Tests;
    const fires = tests.flatMap(({ alert_rule_test: all }) =>
      all.flatMap(({ alertname, exp_alerts: [first] }) => (first === undefined ? [] : [alertname])),
    );
    expect(fires.sort()).deep.equal(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)).sort());
    // A gateway that has just started had no series before.
    for (const { values } of tests.flatMap((one) => one.input_series)) expect(values).match(/^_/);
  });

  it('has a compose file that mounts files of the example', () => {
    const { services } = parse(readFileSync(exampleAt('compose.yml'), 'utf8')) as Compose;
    const mounted = Object.values(services).flatMap(({ volumes }) =>
      volumes.map((one) => one.split(':')[0]!),
    );
    expect(mounted).lengthOf(5);
    for (const file of mounted) expect(readFileSync(exampleAt(file), 'utf8'), file).not.equal('');
  });
});
