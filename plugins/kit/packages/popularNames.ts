import type { NamedPackage } from './packageIn.ts';

/** Names below one scope of npm, owner of Docker Hub, and so on. */
function below(scope: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${scope}/${name}`);
}

/** Servers that many people install, by registry: what a mistyped name is likely to be meant as.
 *  Those that npm and PyPI report as most downloaded in November 2026, and Docker's images of them. */
export const POPULAR: Readonly<Record<NamedPackage['registry'], readonly string[]>> = {
  npm: [
    ...below('@modelcontextprotocol', [
      ...['server-filesystem', 'server-sequential-thinking', 'server-github', 'server-memory', 'sdk'],
      ...['server-postgres', 'server-everything', 'server-google-maps', 'server-slack', 'server-redis'],
      ...['server-brave-search', 'server-puppeteer', 'server-gitlab', 'server-gdrive', 'inspector'],
    ]),
    ...['@playwright/mcp', 'chrome-devtools-mcp', '@upstash/context7-mcp', 'mcp-remote', '@azure-devops/mcp'],
    ...['@supabase/mcp-server-supabase', '@azure/mcp', '@notionhq/notion-mcp-server', 'nx-mcp', 'n8n-mcp'],
    ...['@circleci/mcp-server-circleci', 'next-devtools-mcp', 'mongodb-mcp-server', '@stripe/mcp'],
    ...['tavily-mcp', '@zereight/mcp-gitlab', 'firecrawl-mcp', '@salesforce/mcp', '@sentry/mcp-server'],
    ...[
      '@eslint/mcp',
      '@launchdarkly/mcp-server',
      'figma-developer-mcp',
      '@storybook/mcp',
      '@hubspot/mcp-server',
    ],
    ...['@executeautomation/playwright-mcp-server', '@brave/brave-search-mcp-server', '@heroku/mcp-server'],
    ...['@browsermcp/mcp', '@elastic/mcp-server-elasticsearch', '@21st-dev/magic', '@antv/mcp-server-chart'],
    ...['@apify/actors-mcp-server', '@perplexity-ai/mcp-server', '@cocal/google-calendar-mcp', 'mcp-proxy'],
    ...['@gongrzhe/server-gmail-autoauth-mcp', '@winor30/mcp-server-datadog', 'xcodebuildmcp', 'fastmcp'],
    ...['@composio/mcp', '@mastra/mcp-docs-server', '@dynatrace-oss/dynatrace-mcp-server', 'mcporter'],
  ],
  pypi: [
    ...['mcp-server-git', 'mcp-server-fetch', 'mcp-server-time', 'mcp-server-qdrant', 'mcp-server-duckdb'],
    ...[
      'mcp-atlassian',
      'office-word-mcp-server',
      'excel-mcp-server',
      'duckduckgo-mcp-server',
      'mcp-grafana',
    ],
    ...['office-powerpoint-mcp-server', 'workspace-mcp', 'chroma-mcp', 'mcp-clickhouse', 'blender-mcp'],
    ...['postgres-mcp', 'arxiv-mcp-server', 'markitdown-mcp', 'dbt-mcp', 'mcp-proxy', 'snowflake-labs-mcp'],
    ...['awslabs.aws-documentation-mcp-server', 'awslabs.aws-api-mcp-server', 'awslabs.eks-mcp-server'],
    ...['opensearch-mcp-server-py', 'lean-lsp-mcp', 'basic-memory', 'elevenlabs-mcp', 'databricks-mcp'],
    ...['fastmcp', 'mcp-proxy-for-aws', 'mcp-server-motherduck', 'mcpo'],
  ],
  oci: [
    ...below('mcp', ['filesystem', 'github', 'fetch', 'git', 'time', 'memory', 'postgres', 'playwright']),
    ...below('mcp', ['sequentialthinking', 'slack', 'puppeteer', 'notion', 'grafana']),
    'ghcr.io/github/github-mcp-server',
  ],
  nuget: ['Azure.Mcp', 'NuGet.Mcp.Server'],
};

/** Who publishes several of them: another server of theirs is not in the list, but their name is copied, too. */
export const OWNERS: Readonly<Record<NamedPackage['registry'], readonly string[]>> = {
  npm: [
    ...[
      '@modelcontextprotocol',
      '@playwright',
      '@upstash',
      '@supabase',
      '@notionhq',
      '@circleci',
      '@salesforce',
    ],
    ...['@launchdarkly', '@executeautomation', '@browsermcp', '@cloudflare', '@microsoft', '@anthropic-ai'],
    ...[
      '@google-cloud',
      '@azure-devops',
      '@perplexity-ai',
      '@dynatrace-oss',
      '@huggingface',
      '@browserbasehq',
    ],
  ],
  pypi: [],
  oci: [
    'ghcr.io',
    'docker.io',
    'quay.io',
    'mcr.microsoft.com',
    'public.ecr.aws',
    'gcr.io',
    'docker.elastic.co',
  ],
  nuget: [],
};
