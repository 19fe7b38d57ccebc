import { CallPath, definePlugin, entryOf, readSchema, ToolTable } from 'pegboard';
import type { Scope } from 'pegboard';
import { Turns } from '../kit/limits/turns.ts';
import { Toolsets } from '../contracts/toolsets.ts';
import { StartingServers } from '../contracts/servers.ts';
import { SearchOrder } from '../contracts/search.ts';
import { SignInOffers, SignInStatuses } from '../contracts/signIns.ts';
import { ServiceSource } from '../contracts/services.ts';
import { allServices } from '../kit/definitions/allServices.ts';
import { McpPromptSource, McpResourceSource } from '../contracts/mcp.ts';
import { GuardedServers } from '../contracts/credentials.ts';
import { MemoryBudget } from '../contracts/memory.ts';
import { Vault } from '../contracts/vault.ts';
import { callTool } from './tools/callTool.ts';
import type { MetatoolsConfig } from './config.ts';
import { createSummarizer } from './entry/summary.ts';
import { createShortener, createTrimmer } from './entry/trimmedSchemaOf.ts';
import { describeTool } from './tools/describeTool.ts';
import { explainTool } from './tools/explainTool.ts';
import { filterTools } from './tools/filterTools.ts';
import { getResult } from './tools/getResult.ts';
import { listCoreTools } from './tools/listCoreTools.ts';
import { listTools } from './tools/listTools.ts';
import { describeResource, getResource, listResources } from './tools/mcpResources.ts';
import { describePrompt, getPrompt, listPrompts } from './tools/mcpPrompts.ts';
import { stillStarting } from './tools/stillStarting.ts';
import { Ranker } from './search/ranker.ts';
import { ServerTopics } from './search/serverTopics.ts';
import { InWorker } from './results/inWorker.ts';
import { ResultStore } from './results/resultStore.ts';

/** The thirteen tools that clients see, through which they find and call all others. */
export const plugin = definePlugin<MetatoolsConfig>({
  name: 'metatools',
  api: 1,
  configSchema: readSchema('config/metatools'),
  select: (settings) => {
    const { callToolEnvelope, resultBudget } = settings.aggregator;
    return { ...entryOf(settings, 'metatools').config, callToolEnvelope, resultBudget };
  },
  requires: [CallPath, ToolTable],
  uses: [MemoryBudget, Vault],
  asks: [
    GuardedServers,
    McpPromptSource,
    McpResourceSource,
    SearchOrder,
    ServiceSource,
    SignInOffers,
    SignInStatuses,
    StartingServers,
    Toolsets,
  ],
  apply,
});

function apply(scope: Scope<MetatoolsConfig>): void {
  const ranker = new Ranker(() => {
    const services = allServices(scope);
    const byName = new Map(services.map((service) => [service.name, service]));
    return (server) => byName.get(server)?.instructions?.();
  });
  const topics = new ServerTopics(() => ranker.thesaurus);
  const turns = new Turns();
  const store = new ResultStore(scope, turns);
  // Of their own, so that no answer of a call waits for the selections of others.
  const [examiner, selector] = [new InWorker(), new InWorker()];
  const summaryOf = createSummarizer();
  const trimmedSchemaOf = createTrimmer(summaryOf);
  const shortSchemaOf = createShortener();
  const starting = stillStarting(scope);
  const inOrder = [
    // A model takes the first one for the first step.
    filterTools(scope, { ranker, topics, summaryOf, trimmedSchemaOf, shortSchemaOf, turns, starting }),
    callTool(scope, { store, turns, starting, trimmedSchemaOf, worker: examiner }),
    describeTool(scope, starting, shortSchemaOf),
    listTools(scope, { summaryOf, turns, starting }),
    listCoreTools(scope, summaryOf, shortSchemaOf),
    listResources(scope),
    describeResource(scope),
    getResource(scope),
    listPrompts(scope),
    describePrompt(scope),
    getPrompt(scope),
    getResult(scope, store, turns, selector),
    explainTool(scope, ranker),
  ];
  for (const tool of inOrder) scope.addTool(tool);
  scope.onReload((next) => store.resize(next));
  scope.onStop(() => {
    store.clear();
    for (const worker of [examiner, selector]) worker.end();
  });
}
