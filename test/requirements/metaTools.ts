import type { Requirement } from './requirement.ts';

/** Meta-tools, catalogue entries and toolsets. */
export const META_TOOLS: readonly Requirement[] = [
  {
    id: 'entry.fields',
    sentence:
      'A catalogue entry has name, one-line summary, server, kind and annotations; server is omitted for core tools.',
    tests: [
      'plugins/metatools/catalogue: lists a page of short entries and reports that there are more',
      'plugins/toolsets/toolsets: are named by list_tools when declared, beside entries in discovery form',
      'plugins/metatools/entry/summary: uses the first sentence as the summary',
      'plugins/metatools/entry/summary: cuts summaries at 200 characters, never inside a word or an emoji',
      'plugins/metatools/catalogue: lists core tools as summaries, or in full on request',
    ],
  },
  {
    id: 'entry.score',
    sentence: 'score is present only when ranked by query.',
    tests: [
      'plugins/metatools/tools/filterTools: finds tools by words, best first, without those that do not match',
    ],
  },
  {
    id: 'entry.labels',
    sentence: 'labels are included only when a tool has them.',
    tests: ['plugins/metatools/tools/filterTools: requires every label, comparing values as text'],
  },
  {
    id: 'describe',
    sentence: 'describe_tool adds the full description, inputSchema and invocation.',
    tests: ['plugins/metatools/catalogue: returns everything that a call needs'],
  },
  {
    id: 'describe.unknown',
    sentence: 'describe_tool of an unknown tool is an error result with near names.',
    tests: [
      'plugins/metatools/catalogue: rejects an unknown name, suggesting near ones, and a meta-tool, telling how to call it',
    ],
  },
  {
    id: 'list.page',
    sentence: 'list_tools takes limit (default 50, at least 1) and offset (default 0).',
    tests: [
      'plugins/metatools/catalogue: lists a page of short entries and reports that there are more',
      'plugins/metatools/catalogue: truncates numbers toward zero and rejects invalid pages',
    ],
  },
  {
    id: 'list.response',
    sentence:
      'list_tools answers tools, total, total_tools, filtered_count, truncated, filters and, when declared, toolset.',
    tests: [
      'plugins/metatools/catalogue: lists a page of short entries and reports that there are more',
      'plugins/toolsets/toolsets: are named by list_tools when declared, beside entries in discovery form',
      'plugins/metatools/catalogue: pages through all tools in one order, independent of the order of the servers',
      'plugins/metatools/catalogue: builds a long page in pieces from one snapshot, even if the catalogue changes meanwhile',
    ],
  },
  {
    id: 'list.auth',
    sentence:
      'servers_requiring_auth names the servers that credentials would unlock, neither paged nor narrowed, and no tool that does not exist.',
    tests: [
      'plugins/metatools/catalogue: names the servers that require credentials, with the remedy',
      'e2e/serverSignIn: is named by list_tools, with the tool that gives the link, until the caller has signed in',
    ],
  },
  {
    id: 'filter.pattern',
    sentence: 'pattern is a glob on the tool name, case_sensitive on demand.',
    tests: [
      'plugins/metatools/tools/filterTools: matches a glob on the whole name, ignoring case unless case_sensitive is set',
    ],
  },
  {
    id: 'filter.description',
    sentence: 'description_filter is a case-insensitive substring of the full description.',
    tests: [
      'plugins/metatools/tools/filterTools: matches description_filter in the whole description, ignoring case',
    ],
  },
  {
    id: 'filter.query',
    sentence:
      'query ranks matches, best first, name weighing more, common verbs less; tools that do not match are dropped.',
    tests: [
      'plugins/metatools/tools/filterTools: finds tools by words, best first, without those that do not match',
      'plugins/metatools/search/weights: weigh a word in the name more than the same word in the summary',
      'plugins/metatools/search/weights: include parameters, nested ones too, their descriptions and values',
      'plugins/metatools/search/weights: put core tools last unless the query has words of the gateway',
      'plugins/metatools/tools/filterTools: gives common verbs little weight',
      'plugins/metatools/discovery: finds a right tool among the first five',
      'plugins/metatools/search/thesaurus/thesaurus: finds tools by phrases, words of other languages and British spelling',
    ],
  },
  {
    id: 'filter.queries',
    sentence: 'queries takes up to eight needs and answers each with its own tools (an addition).',
    tests: [
      'plugins/metatools/tools/filterTools: answers several needs in turn, each with its own tools and confidence',
      'plugins/metatools/tools/filterTools: refuses queries that are too many, empty, not texts or next to query',
    ],
  },
  {
    id: 'filter.quality',
    sentence:
      'Recall@5 is at least 0.975, MRR 0.87, refusal of unanswerable queries 0.95 with 0.87 of the answerable ones confident.',
    tests: [
      'plugins/metatools/discovery: finds a right tool among the first five',
      'plugins/metatools/discovery: ranks it near the top',
      'plugins/metatools/discovery: is not confident when there is no tool, and confident in most cases when there is one',
      'plugins/metatools/discovery: also holds for long sentences, foreign words and paraphrases',
    ],
  },
  {
    id: 'list.order',
    sentence: 'The order is stable and independent of the order in which servers connected (U49).',
    tests: [
      'plugins/metatools/catalogue: pages through all tools in one order, independent of the order of the servers',
      'plugins/metatools/discovery: returns the same order and scores for any order of the tools',
    ],
  },
  {
    id: 'filter.starting',
    sentence:
      'While servers connect for the first time no tool is reported missing: the servers are named and waited for.',
    tests: [
      'e2e/coldStart: searches and lists name the servers that are still connecting',
      'e2e/coldStart: a search without a sure match waits for the servers',
      'e2e/coldStart: calls and descriptions of tools wait for their server, known tools included',
      'e2e/coldStart: a call to a server that is stopped, was never started or fails to start does not name another server instead',
    ],
  },
  {
    id: 'filter.absent',
    sentence:
      'Servers that wait for the sign-in of the caller are named, as in list_tools, with the call for it, when they match or nothing is confident; stopped and failed ones by name; none that the request may not see (an addition).',
    tests: [
      'plugins/metatools/tools/absentServers: are named with the call for the link when nothing confident is found',
      'plugins/metatools/tools/absentServers: are found by name and by description',
      'plugins/metatools/tools/absentServers: are named beside a confident match too',
      'plugins/metatools/tools/absentServers: are hidden from those who may not see them, and left out of other toolsets',
      'plugins/metatools/tools/absentServers: are found by name, with the call that starts them, for those who may make it',
      'examples/oauth: leads an agent that searches alone to the link, and after it to the note',
    ],
  },
  {
    id: 'filter.confident',
    sentence:
      'An unsure page is ranked but says confident: false and which words matched nothing; a query of unknown words returns no tool.',
    tests: [
      'plugins/metatools/tools/filterTools: returns weak matches marked as not confident, and names the words without matches',
      'plugins/metatools/tools/filterTools: returns no tools and a hint for a query without matches',
    ],
  },
  {
    id: 'pages.size',
    sentence: 'Default pages of 2,000 tools are at most 24 KB.',
    tests: [
      'plugins/metatools/catalogue: keeps the default page of 2,000 tools with long descriptions within 24 KB, without omitting a tool',
    ],
  },
  {
    id: 'filter.labels',
    sentence: 'labels are facets; a tool must carry every one.',
    tests: ['plugins/metatools/tools/filterTools: requires every label, comparing values as text'],
  },
  {
    id: 'filter.schema',
    sentence: 'include_schema gives full descriptions and input schemas.',
    tests: [
      'plugins/metatools/tools/filterTools: returns schemas and full descriptions unchanged on request',
    ],
  },
  {
    id: 'filter.page',
    sentence: 'filter_tools takes limit (default 5) and offset.',
    tests: ['plugins/metatools/tools/filterTools: pages without losing or repeating a tool'],
  },
  {
    id: 'filter.toolset',
    sentence:
      'toolset holds inline selectors, answered with toolset and toolset_unmatched; it never widens the header.',
    tests: [
      'plugins/metatools/tools/filterTools: searches within the toolset argument and reports selectors without matches',
      'plugins/metatools/tools/filterTools: resolves the argument within the header, never beyond it',
    ],
  },
  {
    id: 'core.list',
    sentence: 'list_core_tools lists core tools only.',
    tests: ['plugins/metatools/catalogue: lists core tools as summaries, or in full on request'],
  },
  {
    id: 'call.envelope',
    sentence: 'With callToolEnvelope: json every answer of call_tool is wrapped, errors too.',
    tests: [
      'plugins/metatools/tools/callTool: wraps the result into one text item and mirrors the error flag',
      'plugins/metatools/tools/callTool: wraps refusals of every kind, and internal errors without their text',
    ],
  },
  {
    id: 'call.null',
    sentence: 'arguments: null is {} everywhere.',
    tests: ['plugins/metatools/tools/callTool: treats absent, null and empty arguments as none'],
  },
  {
    id: 'call.ids',
    sentence: 'Results cut by a budget keep their ids readable.',
    tests: ['plugins/metatools/tools/getResult: list their ids, which the cut would hide'],
  },
  {
    id: 'call',
    sentence: 'call_tool runs the named tool and answers its result.',
    tests: [
      'plugins/metatools/tools/callTool: returns the result byte for byte as the tool returned it',
      'e2e/upstreams: lists, filters, describes and calls over all three transports',
    ],
  },
  {
    id: 'call.budget',
    sentence:
      'Above aggregator.resultBudget (40,000 bytes of text; 0 is off) the caller gets head, size and how to read on; the result is kept, owner-bound, expiring.',
    tests: [
      'plugins/metatools/tools/getResult: exceed 40,000 bytes of text unless configured otherwise',
      'plugins/metatools/tools/getResult: are answered by their head, shape and a handle, within the budget',
      'plugins/metatools/tools/getResult: are readable only by the caller that received them',
      'plugins/metatools/results/resultStore: returns a result only to the session that created it, and one created without a session to any holder of its handle',
      'plugins/metatools/tools/getResult: of 30 MB are answered in a few KB and can be read completely',
    ],
  },
  {
    id: 'call.getResult',
    sentence: 'get_result reads by page, range, line and JSONPath.',
    tests: [
      'plugins/metatools/tools/getResult: are returned completely by pages',
      'plugins/metatools/tools/getResult: are read by page number and by line number',
      'plugins/metatools/results/select: selects by slices, unions, filters and at any depth',
      'plugins/metatools/results/jsonPathSuite: selects as each of its valid paths does',
      'plugins/metatools/results/select: selects the same values in the same order as a plain implementation, for any data',
      'plugins/metatools/tools/getResult: reject a selection that takes too long, with advice to narrow it',
      'plugins/metatools/tools/getResult: are read only in the stored part that contains the page',
    ],
  },
  {
    id: 'resources',
    sentence: 'list_resources, describe_resource and get_resource read MCP resources.',
    tests: [
      'plugins/metatools/mcpSources: lists resources, then templates',
      'plugins/metatools/mcpSources: describes a resource, empty fields included',
      'plugins/metatools/mcpSources: reads a resource as text and returns the complete answer as structured content',
    ],
  },
  {
    id: 'prompts',
    sentence: 'list_prompts, describe_prompt and get_prompt read and run prompts.',
    tests: [
      'plugins/metatools/mcpSources: lists, describes and fills in prompts',
      'plugins/metatools/mcpSources: rejects an unknown prompt and arguments that are not an object',
    ],
  },
  {
    id: 'toolset.discovery',
    sentence:
      'With the header every discovery meta-tool reads the narrowed catalogue and call_tool refuses tools outside it, naming the selectors.',
    tests: [
      'plugins/toolsets/toolsets: refuse calls outside them, naming tool and selectors',
      'plugins/toolsets/toolsets: show exactly the tools they allow, for any toolset',
      'e2e/narrowing: applies to tools, resources, templates and prompts alike, in lists, reads, completion and subscriptions',
    ],
  },
  {
    id: 'toolset.invalid',
    sentence: 'An invalid toolset is an error result on every meta-tool call.',
    tests: ['plugins/toolsets/toolsets: that are invalid are answered on every meta-tool, with the reason'],
  },
  {
    id: 'preset.rules',
    sentence: 'A rule sets exactly one key; presets compose; read-only, none and full are built in.',
    tests: [
      'plugins/toolsets/toolsets: include the built-in presets',
      'plugins/toolsets/toolsets: apply rules of every kind, exclude over include',
    ],
  },
  {
    id: 'preset.live',
    sentence: 'Presets are evaluated against the live catalogue on every request.',
    tests: ['plugins/toolsets/toolsets: evaluate presets against the live catalogue'],
  },
  {
    id: 'preset.startup',
    sentence:
      'Start-up fails, naming the preset, when a built-in is redefined, a rule is wrong, a pattern is invalid or composition is unknown or circular.',
    tests: ['plugins/toolsets/presetFindings: refuses to start when ${what}'],
  },
];
