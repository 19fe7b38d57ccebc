import type { NamedPackage } from '../../kit/packages/packageIn.ts';

/** Servers that many people install, by registry: what a mistyped name is likely to be meant as.
 *  Those that npm and PyPI report as most downloaded in November 2026, and Docker's images of them. */
const POPULAR: Readonly<Record<NamedPackage['registry'], readonly string[]>> = {
  npm: [
    ...['filesystem', 'sequential-thinking', 'github', 'memory', 'postgres', 'everything', 'google-maps'].map(
      (name) => `@modelcontextprotocol/server-${name}`,
    ),
    ...['slack', 'brave-search', 'puppeteer', 'gitlab', 'gdrive', 'redis'].map(
      (name) => `@modelcontextprotocol/server-${name}`,
    ),
    ...['@playwright/mcp', 'chrome-devtools-mcp', '@upstash/context7-mcp', 'mcp-remote', '@azure-devops/mcp'],
    ...['@supabase/mcp-server-supabase', '@azure/mcp', '@notionhq/notion-mcp-server', 'nx-mcp', 'n8n-mcp'],
    ...[
      '@circleci/mcp-server-circleci',
      'next-devtools-mcp',
      'mongodb-mcp-server',
      '@stripe/mcp',
      'tavily-mcp',
    ],
    ...['@zereight/mcp-gitlab', 'firecrawl-mcp', '@salesforce/mcp', '@sentry/mcp-server', '@eslint/mcp'],
    ...['@launchdarkly/mcp-server', 'figma-developer-mcp', '@executeautomation/playwright-mcp-server'],
    ...['@brave/brave-search-mcp-server', '@heroku/mcp-server', '@hubspot/mcp-server', '@browsermcp/mcp'],
    ...['@elastic/mcp-server-elasticsearch', '@21st-dev/magic', '@antv/mcp-server-chart', '@storybook/mcp'],
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
  ],
  oci: [
    ...['mcp/filesystem', 'mcp/github', 'mcp/fetch', 'mcp/git', 'mcp/time', 'mcp/memory', 'mcp/postgres'],
    ...[
      'mcp/playwright',
      'mcp/sequentialthinking',
      'mcp/slack',
      'mcp/puppeteer',
      'mcp/notion',
      'mcp/grafana',
    ],
    'ghcr.io/github/github-mcp-server',
  ],
  nuget: [],
};
/** Slips in a name of this length are one letter at most: short names are near each other by chance. */
const SHORT_CHARS = 10;

/** The popular package that a name is easily taken for; undefined if it is one, or near none. */
export function nearPopular({ registry, name }: NamedPackage): string | undefined {
  const known = POPULAR[registry];
  const own = plainName(name, registry);
  if (known.some((one) => plainName(one, registry) === own)) return undefined;
  const allowed = own.length < SHORT_CHARS ? 1 : 2;
  return known.find((one) => {
    // Who owns the scope of the one has published the other.
    if (one.includes('/') && scopeOf(one) === scopeOf(name)) return false;
    const other = plainName(one, registry);
    return letters(other) === letters(own) || slips(other, own, allowed) <= allowed;
  });
}

function plainName(name: string, registry: NamedPackage['registry']): string {
  return registry === 'pypi' ? name.toLowerCase().replaceAll(/[-_.]+/g, '-') : name.toLowerCase();
}

function scopeOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

/** `@scope/a-b` and `scope-a-b` look alike. */
function letters(name: string): string {
  return name.replaceAll(/[^a-z0-9]/g, '');
}

/** How many letters are added, left out, replaced, or swapped with their neighbour; more than `most` if it is more. */
function slips(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    const [before = [], earlier = []] = [rows[i - 1], rows[i - 2]];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        Math.min(
          (before[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (before[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (earlier[j - 2] ?? 0) + 1 : most + 1,
        ),
      );
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? most + 1;
}
