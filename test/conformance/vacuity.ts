import { McpClient } from '../support/mcpClient.ts';
import type { Outcome } from './suite.ts';

const WANTED = [
  {
    scenario: 'tools-call-simple-text',
    tool: 'test_simple_text',
    result: told('This is a simple text response for testing.'),
  },
  {
    scenario: 'tools-call-error',
    tool: 'test_error_handling',
    result: { ...told('This tool intentionally returns an error for testing'), isError: true },
  },
];

/** Two scenarios also pass on a result with "tool not found": here the result itself decides. */
export async function withoutEmptyPasses(
  outcomes: ReadonlyMap<string, Outcome>,
  url: string,
): Promise<ReadonlyMap<string, Outcome>> {
  const client = await McpClient.connect(url);
  const judged = new Map(outcomes);
  for (const { scenario, tool, result } of WANTED) {
    const got: unknown = await client.callMeta(tool).catch((error: unknown) => String(error));
    const outcome = outcomes.get(scenario);
    if (outcome === undefined || JSON.stringify(got) === JSON.stringify(result)) continue;
    const faults = [...outcome.faults, `${tool} answered ${JSON.stringify(got)}`];
    judged.set(scenario, { ...outcome, isPassed: false, faults });
  }
  await client.end();
  return judged;
}

function told(text: string): { readonly content: readonly object[] } {
  return { content: [{ type: 'text', text }] };
}
