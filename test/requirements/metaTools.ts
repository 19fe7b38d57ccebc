import type { Requirement } from './requirement.ts';

/** Meta-tools, catalogue entries and toolsets. */
export const META_TOOLS: readonly Requirement[] = [
  {
    id: 'entry.fields',
    sentence:
      'A catalogue entry has name, one-line summary, server, kind and annotations; server is omitted for core tools.',
    tests: [
      'plugins/metatools/catalogue: lists a page of short entries and says that there is more',
      'plugins/toolsets/toolsets: are named by list_tools when declared, beside entries in discovery form',
      'plugins/metatools/catalogue: takes the first sentence as the summary',
      'plugins/metatools/catalogue: cuts summaries at 200 characters, never inside a word or an emoji',
      'plugins/metatools/catalogue: lists core tools as summaries, in full when asked',
    ],
  },
  {
    id: 'entry.score',
    sentence: 'score is there only when ranked by query.',
    tests: ['plugins/metatools/tools/filterTools: finds by words, best first, and drops what does not match'],
  },
  {
    id: 'entry.labels',
    sentence: 'labels are there only when present.',
    tests: ['plugins/metatools/tools/filterTools: asks for every label, values as text'],
  },
  {
    id: 'describe',
    sentence: 'describe_tool adds the full description, inputSchema and invocation.',
    tests: ['plugins/metatools/catalogue: gives everything that a call needs'],
  },
  {
    id: 'describe.unknown',
    sentence: 'describe_tool of an unknown tool is an error result with near names.',
    tests: [
      'plugins/metatools/catalogue: refuses an unknown name with near ones, and a meta-tool with the way to call it',
    ],
  },
  {
    id: 'list.page',
    sentence: 'list_tools takes limit (default 50, at least 1) and offset (default 0).',
    tests: [
      'plugins/metatools/catalogue: lists a page of short entries and says that there is more',
      'plugins/metatools/catalogue: truncates numbers toward zero and refuses what is no page',
    ],
  },
  {
    id: 'list.response',
    sentence:
      'list_tools answers tools, total, total_tools, filtered_count, truncated, filters and, when declared, toolset.',
    tests: [
      'plugins/metatools/catalogue: lists a page of short entries and says that there is more',
      'plugins/toolsets/toolsets: are named by list_tools when declared, beside entries in discovery form',
      'plugins/metatools/catalogue: pages through everything in one total order, whatever order the servers came in',
      'plugins/metatools/catalogue: makes a long page in pieces, and tells of one moment whatever the catalogue becomes meanwhile',
    ],
  },
  {
    id: 'list.auth',
    sentence:
      'servers_requiring_auth names the servers that credentials would unlock, neither paged nor narrowed, and no tool that does not exist.',
    tests: ['plugins/metatools/catalogue: names the servers that credentials would unlock, and what to do'],
  },
  {
    id: 'filter.pattern',
    sentence: 'pattern is a glob on the tool name, case_sensitive on demand.',
    tests: [
      'plugins/metatools/tools/filterTools: matches a glob on the whole name, without case unless asked',
    ],
  },
  {
    id: 'filter.description',
    sentence: 'description_filter is a case-insensitive substring of the full description.',
    tests: [
      'plugins/metatools/tools/filterTools: looks for text in the whole description, always without case',
    ],
  },
  {
    id: 'filter.query',
    sentence:
      'query ranks matches, best first, name weighing more, common verbs less; what does not match is dropped.',
    tests: [
      'plugins/metatools/tools/filterTools: finds by words, best first, and drops what does not match',
      'plugins/metatools/search/weights: lets a word in the name weigh more than the same word in the summary',
      'plugins/metatools/tools/filterTools: lets common verbs count little against what is meant',
      'plugins/metatools/discovery: shows a tool for what is asked among the first five',
      'plugins/metatools/search/thesaurus/thesaurus: finds what is said in a phrase, in another language or in British spelling',
    ],
  },
  {
    id: 'filter.quality',
    sentence:
      'Recall@5 is at least 0.95, MRR 0.87, refusal of unanswerable queries 0.95 with 0.87 of the answerable ones confident.',
    tests: [
      'plugins/metatools/discovery: shows a tool for what is asked among the first five',
      'plugins/metatools/discovery: puts it near the top',
      'plugins/metatools/discovery: says that it is not sure when there is no tool, and seldom when there is one',
      'plugins/metatools/discovery: holds for long sentences, foreign words and other people’s ways to say it',
    ],
  },
  {
    id: 'list.order',
    sentence: 'The order is stable and does not depend on who connected first (U49).',
    tests: [
      'plugins/metatools/catalogue: pages through everything in one total order, whatever order the servers came in',
      'plugins/metatools/discovery: gives the same order and scores whatever order the tools come in',
    ],
  },
  {
    id: 'filter.starting',
    sentence:
      'While servers connect for the first time nothing is said not to exist: they are named and waited for.',
    tests: [
      'e2e/coldStart: is told of by searches and lists, which name the servers that are still connecting',
      'e2e/coldStart: is waited for by a search that finds nothing sure',
      'e2e/coldStart: is waited for by calls and descriptions of its tools, as that of a known tool is',
      'e2e/coldStart: names no other server in place of one that is stopped, was never started or does not come up',
    ],
  },
  {
    id: 'filter.confident',
    sentence:
      'An unsure page is ranked but says confident: false and which words matched nothing; a query of which nothing is known returns no tool.',
    tests: [
      'plugins/metatools/tools/filterTools: ranks also what it is not sure of, says so, and names the words that matched nothing',
      'plugins/metatools/tools/filterTools: answers nothing, with a hint, to what matches nothing',
    ],
  },
  {
    id: 'pages.size',
    sentence: 'Default pages of 2,000 tools are at most 24 KB.',
    tests: [
      'plugins/metatools/catalogue: keeps default pages of 2,000 tools with long descriptions within 24 KB, with every tool on them',
    ],
  },
  {
    id: 'filter.labels',
    sentence: 'labels are facets; a tool must carry every one.',
    tests: ['plugins/metatools/tools/filterTools: asks for every label, values as text'],
  },
  {
    id: 'filter.schema',
    sentence: 'include_schema gives full descriptions and input schemas.',
    tests: ['plugins/metatools/tools/filterTools: gives schemas and full descriptions unchanged when asked'],
  },
  {
    id: 'filter.page',
    sentence: 'filter_tools takes limit (default 5) and offset.',
    tests: ['plugins/metatools/tools/filterTools: pages without a tool lost or seen twice'],
  },
  {
    id: 'filter.toolset',
    sentence:
      'toolset holds inline selectors, answered with toolset and toolset_unmatched; it never widens the header.',
    tests: [
      'plugins/metatools/tools/filterTools: searches within the toolset argument and says what selected nothing',
      'plugins/metatools/tools/filterTools: resolves the argument within the header, never beyond it',
    ],
  },
  {
    id: 'core.list',
    sentence: 'list_core_tools lists core tools only.',
    tests: ['plugins/metatools/catalogue: lists core tools as summaries, in full when asked'],
  },
  {
    id: 'call.envelope',
    sentence: 'With callToolEnvelope: json every answer of call_tool is wrapped, errors too.',
    tests: [
      'plugins/metatools/tools/callTool: wraps the result into one text item and mirrors the error flag',
      'plugins/metatools/tools/callTool: wraps refusals of every kind, and what may not be shown without its text',
    ],
  },
  {
    id: 'call.null',
    sentence: 'arguments: null is {} everywhere.',
    tests: ['plugins/metatools/tools/callTool: takes absent, null and empty arguments for none'],
  },
  {
    id: 'call.ids',
    sentence: 'Whatever is cut by a budget keeps its ids readable.',
    tests: ['plugins/metatools/tools/getResult: keeps ids readable that the cut would hide'],
  },
  {
    id: 'call',
    sentence: 'call_tool runs the named tool and answers its result.',
    tests: [
      'plugins/metatools/tools/callTool: returns the result byte for byte as it came',
      'e2e/upstreams: lists, filters, describes and calls over all three transports',
    ],
  },
  {
    id: 'call.budget',
    sentence:
      'Above aggregator.resultBudget (40,000 bytes of text; 0 is off) the caller gets head, size and how to read on; the result is kept, owner-bound, expiring.',
    tests: [
      'plugins/metatools/tools/getResult: is 40,000 bytes of text unless configured',
      'plugins/metatools/tools/getResult: answers the head, the shape and a handle, within the budget',
      'plugins/metatools/tools/getResult: lets nobody but the one who called read it',
      'plugins/metatools/results/resultStore: gives a result to the session that made it, and one that no session made to whoever has its handle',
      'plugins/metatools/tools/getResult: takes a result of 30 MB in a few KB and gives all of it back',
    ],
  },
  {
    id: 'call.getResult',
    sentence: 'get_result reads by page, range, line and JSONPath.',
    tests: [
      'plugins/metatools/tools/getResult: gives the whole text back by pages',
      'plugins/metatools/tools/getResult: reads pages by their number and lines by theirs',
      'plugins/metatools/results/selectFrom: selects by slices, unions, filters and at any depth',
      'plugins/metatools/results/selectFrom: agrees with the plain rules, in the same order, whatever the data',
      'plugins/metatools/tools/getResult: refuses to take the same again and again, and says how to narrow it',
      'plugins/metatools/tools/getResult: reads no more of a long text than the part that a page is in',
    ],
  },
  {
    id: 'resources',
    sentence: 'list_resources, describe_resource and get_resource read MCP resources.',
    tests: [
      'plugins/metatools/mcpSources: lists resources, then templates',
      'plugins/metatools/mcpSources: describes a resource, empty fields included',
      'plugins/metatools/mcpSources: reads a resource as text and keeps the complete answer beside it',
    ],
  },
  {
    id: 'prompts',
    sentence: 'list_prompts, describe_prompt and get_prompt read and run prompts.',
    tests: [
      'plugins/metatools/mcpSources: lists, describes and fills in prompts',
      'plugins/metatools/mcpSources: refuses an unknown prompt and arguments that are no object',
    ],
  },
  {
    id: 'toolset.discovery',
    sentence:
      'With the header every discovery meta-tool reads the narrowed catalogue and call_tool refuses what is outside, naming the selectors.',
    tests: [
      'plugins/toolsets/toolsets: refuses calls outside it, naming tool and selectors',
      'plugins/toolsets/toolsets: shows exactly what it lets call, for any toolset',
      'e2e/narrowing: holds for tools, resources, templates and prompts alike, in lists, reads, completion and subscriptions',
    ],
  },
  {
    id: 'toolset.invalid',
    sentence: 'An invalid toolset is an error result on every meta-tool call.',
    tests: ['plugins/toolsets/toolsets: answers an invalid toolset on every meta-tool, with the reason'],
  },
  {
    id: 'preset.rules',
    sentence: 'A rule sets exactly one key; presets compose; read-only, none and full are built in.',
    tests: [
      'plugins/toolsets/toolsets: knows the built-in presets',
      'plugins/toolsets/toolsets: applies rules of every kind, exclude over include',
    ],
  },
  {
    id: 'preset.live',
    sentence: 'Presets are evaluated against the live catalogue on every request.',
    tests: ['plugins/toolsets/toolsets: evaluates presets against the live catalogue'],
  },
  {
    id: 'preset.startup',
    sentence:
      'Start-up fails, naming the preset, when a built-in is redefined, a rule is wrong, a pattern is invalid or composition is unknown or circular.',
    tests: ['plugins/toolsets/findings: refuses to start when ${what}'],
  },
];
