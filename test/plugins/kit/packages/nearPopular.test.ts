import { expect } from 'chai';
import { nearPopular } from '../../../../plugins/kit/packages/nearPopular.ts';
import { packageIn } from '../../../../plugins/kit/packages/packageIn.ts';

/** What people type in place of a popular name, or an attacker registers for them. */
const NEAR = {
  npm: {
    // Letters swapped, left out, doubled, replaced.
    '@playwrigth/mcp': '@playwright/mcp',
    '@playwrght/mcp': '@playwright/mcp',
    'chrome-devtool-mcp': 'chrome-devtools-mcp',
    'chrome-devtoosl-mcp': 'chrome-devtools-mcp',
    'firecrawll-mcp': 'firecrawl-mcp',
    'tavliy-mcp': 'tavily-mcp',
    'mongodb-mcp-sever': 'mongodb-mcp-server',
    'mcp-remotes': 'mcp-remote',
    'mcp-rernote': 'mcp-remote',
    'mpc-remote': 'mcp-remote',
    'n8n-mpc': 'n8n-mcp',
    '@modelcontextprotcol/server-filesystem': '@modelcontextprotocol/server-filesystem',
    '@modelcontextprotocols/server-github': '@modelcontextprotocol/server-github',
    // Of that scope, but not in the list.
    '@modelcontextprotocl/server-brand-new': '@modelcontextprotocol/server-brand-new',
    '@modelcontextprotoc0l/server-brand-new': '@modelcontextprotocol/server-brand-new',
    // Another scope, or none.
    '@model-context-protocol/server-filesystem': '@modelcontextprotocol/server-filesystem',
    '@model-context-protocol/server-brand-new': '@modelcontextprotocol/server-brand-new',
    'modelcontextprotocol-server-memory': '@modelcontextprotocol/server-memory',
    'server-sequential-thinking': '@modelcontextprotocol/server-sequential-thinking',
    'server-filesystem': '@modelcontextprotocol/server-filesystem',
    'playwright-mcp': '@playwright/mcp',
    'azure-mcp': '@azure/mcp',
    'context7-mcp': '@upstash/context7-mcp',
    '@upstash-context7/mcp': '@upstash/context7-mcp',
    '@upstahs/brand-new-mcp': '@upstash/brand-new-mcp',
    // - and _ and none, looks of letters.
    chrome_devtools_mcp: 'chrome-devtools-mcp',
    'chromedevtools-mcp': 'chrome-devtools-mcp',
    mcpremote: 'mcp-remote',
    'firecraw1-mcp': 'firecrawl-mcp',
    'm0ngodb-mcp-server': 'mongodb-mcp-server',
    'tаvily-mcp': 'tavily-mcp',
    '@modelcontextprotοcol/server-redis': '@modelcontextprotocol/server-redis',
  },
  pypi: {
    'mcp-server-fecth': 'mcp-server-fetch',
    'mcp-serverfetch': 'mcp-server-fetch',
    mcp_sever_git: 'mcp-server-git',
    'mcp-server-g1t': 'mcp-server-git',
    'mcp-atlasian': 'mcp-atlassian',
    'mcp-altassian': 'mcp-atlassian',
    'elevenlab-mcp': 'elevenlabs-mcp',
    'markitdovvn-mcp': 'markitdown-mcp',
    'awslab.aws-api-mcp-server': 'awslabs.aws-api-mcp-server',
    'bIender-mcp': 'blender-mcp',
  },
  oci: {
    'mpc/filesystem': 'mcp/filesystem',
    'mcp-filesystem': 'mcp/filesystem',
    'mcps/playwright': 'mcp/playwright',
    'docker.io/mcpp/postgres': 'mcp/postgres',
    'ghcr.io/github/github-mcp-sever': undefined,
    'ghcr.io/githud/github-mcp-server': 'ghcr.io/github/github-mcp-server',
    'github/github-mcp-server': 'ghcr.io/github/github-mcp-server',
    'ghrc.io/github/github-mcp-server': 'ghcr.io/github/github-mcp-server',
    'ghrc.io/acme/notes': 'ghcr.io/acme/notes',
    'gchr.io/acme/notes': 'ghcr.io/acme/notes',
    'mcr.rnicrosoft.com/acme/notes': 'mcr.microsoft.com/acme/notes',
  },
  nuget: { 'Azure-Mcp': 'Azure.Mcp', AzureMcp: 'Azure.Mcp', 'Nuget.Mpc.Server': 'NuGet.Mcp.Server' },
} as const;

/** Servers that are in use under these names, most of which are in no list here. */
const REAL = {
  npm: [
    ...['@playwright/mcp', 'chrome-devtools-mcp', '@upstash/context7-mcp', 'mcp-proxy', 'fastmcp', 'tmcp'],
    ...['@modelcontextprotocol/server-filesystem', '@modelcontextprotocol/server-everart', 'mcporter'],
    ...['@modelcontextprotocol/server-aws-kb-retrieval', '@modelcontextprotocol/server-pdf', 'mcp-handler'],
    ...['@azure-devops/mcp', '@azure/mcp', '@supabase/mcp-server-supabase', '@notionhq/notion-mcp-server'],
    ...['nx-mcp', 'n8n-mcp', 'expo-mcp', 'next-devtools-mcp', 'mongodb-mcp-server', '@stripe/mcp', 'use-mcp'],
    ...['tavily-mcp', '@zereight/mcp-gitlab', 'firecrawl-mcp', 'firecrawl-fastmcp', '@sentry/mcp-server'],
    ...[
      '@eslint/mcp',
      '@launchdarkly/mcp-server',
      'figma-developer-mcp',
      '@storybook/addon-mcp',
      '@storybook/mcp',
    ],
    ...['@executeautomation/playwright-mcp-server', '@brave/brave-search-mcp-server', '@heroku/mcp-server'],
    ...['@hubspot/mcp-server', '@browsermcp/mcp', '@elastic/mcp-server-elasticsearch', '@21st-dev/magic'],
    ...['@antv/mcp-server-chart', '@apify/actors-mcp-server', '@perplexity-ai/mcp-server', '@shortcut/mcp'],
    ...['@cocal/google-calendar-mcp', '@gongrzhe/server-gmail-autoauth-mcp', '@winor30/mcp-server-datadog'],
    ...['xcodebuildmcp', '@composio/mcp', '@mastra/mcp-docs-server', '@dynatrace-oss/dynatrace-mcp-server'],
    ...[
      '@agent-infra/mcp-server-browser',
      '@agent-infra/mcp-server-filesystem',
      '@drawio/mcp',
      'n8n-nodes-mcp',
    ],
    ...[
      '@aashari/mcp-server-atlassian-jira',
      '@agentdeskai/browser-tools-mcp',
      '@benborla29/mcp-server-mysql',
    ],
    ...['@bitwarden/mcp-server', '@brightdata/mcp', '@browserbasehq/mcp-server-browserbase', '@mui/mcp'],
    ...['@browserstack/mcp-server', '@cloudflare/mcp-server-cloudflare', '@cloudflare/playwright-mcp'],
    ...[
      '@coding-solo/godot-mcp',
      '@currents/mcp',
      '@cyanheads/git-mcp-server',
      '@delorenj/mcp-server-trello',
    ],
    ...[
      '@digitalocean/mcp',
      '@ergut/mcp-bigquery-server',
      '@expo/mcp-tunnel',
      '@automatalabs/mcp-server-playwright',
    ],
    ...[
      '@gleanwork/local-mcp-server',
      '@google-cloud/gcloud-mcp',
      '@google-cloud/cloud-run-mcp',
      '@hono/mcp',
    ],
    ...[
      '@larksuiteoapi/lark-mcp',
      '@line/line-bot-mcp-server',
      '@llmindset/hf-mcp-server',
      '@mapbox/mcp-server',
    ],
    ...[
      '@microsoft/clarity-mcp-server',
      '@mobilenext/mobile-mcp',
      '@neondatabase/mcp-server-neon',
      '@netlify/mcp',
    ],
    ...[
      '@openbnb/mcp-server-airbnb',
      '@pinecone-database/mcp',
      '@just-every/mcp-read-website-fast',
      '@mastra/mcp',
    ],
  ],
  pypi: [
    ...[
      'mcp-server-git',
      'mcp_server_fetch',
      'mcp-server-time',
      'mcp-server-qdrant',
      'mcp-server-sqlite',
      'mcp',
    ],
    ...['mcp-atlassian', 'mcp-grafana', 'mcp-clickhouse', 'mcp-use', 'mcpo', 'fastmcp-slim', 'fastapi-mcp'],
    ...['duckduckgo-mcp', 'duckduckgo-mcp-server', 'excel-mcp-server', 'cli-mcp-server', 'pdf-tools-mcp'],
    ...[
      'awslabs.ecs-mcp-server',
      'awslabs.eks-mcp-server',
      'awslabs.aws-pricing-mcp-server',
      'mysql-mcp-server',
    ],
    ...[
      'awslabs-cloudwatch-mcp-server',
      'chroma-mcp',
      'mcp-proxy-for-aws',
      'mcp-server-motherduck',
      'dbt-mcp',
    ],
    ...['notebooklm-mcp-cli', 'pagerduty-mcp', 'uipath-mcp', 'tilt-mcp', 'ha-mcp', 'mcp-stata', 'winrmcp'],
    ...['postgres-mcp', 'arxiv-mcp-server', 'linkedin-scraper-mcp', 'analytics-mcp', 'mcp-ocr', 'yfmcp'],
  ],
  oci: [
    ...['mcp/filesystem', 'mcp/fetch', 'docker.io/mcp/git', 'mcp/sqlite', 'mcp/time', 'mcp/brave-search'],
    ...[
      'ghcr.io/github/github-mcp-server',
      'ghcr.io/sooperset/mcp-atlassian',
      'quay.io/acme/notes',
      'gcr.io/a/b',
    ],
    ...[
      'grafana/mcp-grafana',
      'hashicorp/terraform-mcp-server',
      'mcr.microsoft.com/playwright/mcp',
      'node',
      'alpine',
    ],
    ...[
      'registry.gitlab.com/acme/notes',
      'localhost:5000/acme/notes',
      'mongodb/mongodb-mcp-server',
      'public.ecr.aws/a/b',
    ],
  ],
  nuget: ['Azure.Mcp', 'azure.mcp', 'NuGet.Mcp.Server', 'Acme.Mcp', 'Microsoft.Mcp'],
} as const;

const RUN = { npm: ['npx', '-y'], pypi: ['uvx'], oci: ['docker', 'run', '-i'], nuget: ['dnx'] } as const;

function nearOf(registry: keyof typeof RUN, name: string): string | undefined {
  const named = packageIn([...RUN[registry], name]);
  expect(named, name).include({ registry, name });
  return named && nearPopular(named);
}

describe('kit: a name near that of a popular server', () => {
  for (const registry of ['npm', 'pypi', 'oci', 'nuget'] as const) {
    for (const [name, popular] of Object.entries(NEAR[registry]))
      if (popular === undefined)
        it(`is not suspected in ${registry} where its owner published it: ${name}`, () =>
          expect(nearOf(registry, name)).equal(undefined));
      else it(`is taken for it in ${registry}: ${name}`, () => expect(nearOf(registry, name)).equal(popular));

    it(`does not include one of the real names in ${registry}`, () => {
      const suspected = REAL[registry].filter((name) => nearOf(registry, name) !== undefined);
      expect(suspected).deep.equal([]);
    });
  }

  it('is looked for in tables of at least 30 near ones and 100 real ones', () => {
    expect(Object.values(NEAR).flatMap((names) => Object.keys(names)).length).least(30);
    expect(Object.values(REAL).flat().length).least(100);
  });

  it('is not looked for at length in a name that no registry has', () => {
    const start = performance.now();
    for (const part of ['mcp-', 'a/', '\ufdfa']) nearPopular({ registry: 'npm', name: part.repeat(50_000) });
    expect(performance.now() - start).below(500);
  });
});
