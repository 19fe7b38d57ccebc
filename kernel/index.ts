/** The public API: what plugins, built-in and third parties', import as `pegboard`. Adding a name is a decision. */
export { one, many } from './capabilities.ts';
export type { Capability } from './capabilities.ts';
export { GatewayError, isGatewayError, messageOf } from './errors.ts';
// With a star, because plugins extend the interfaces in these modules.
export type * from './contracts/errorCodes.ts';
export type * from './contracts/events.ts';
export type * from './contracts/tool.ts';
export type * from './contracts/client.ts';
export type * from './coreTool.ts';
export { STAGE } from './contracts/stage.ts';
export type { Log, LogData, LogLevel } from './log.ts';
export { rawResult, resultOf, textResult, jsonResult, structuredResult } from './lib/results.ts';

export { definePlugin, entryOf, networkSettings, whenConfigured } from './contracts/plugin.ts';
export type { Plugin, Scope } from './contracts/plugin.ts';
export type { Configured } from './contracts/configured.ts';
export type { ReviewFacts, ReviewFinding } from './contracts/review.ts';
export type { JsonObject, JsonSchema } from './contracts/json.ts';
export type { Env, PluginEntry, Settings, AggregatorSettings } from './contracts/settings.ts';
export { CallPath } from './contracts/call.ts';
export type { Call, CallOptions, CallResult, ClientMeta, Next, ToolResult } from './contracts/call.ts';
export type { Target, Tool } from './contracts/call.ts';
export { LOG_LEVELS } from './contracts/client.ts';
export { ANYONE, RequestGate, isReply } from './contracts/request.ts';
export type { Caller, InboundRequest, Reply, RequestFacts, Toolset } from './contracts/request.ts';
export { DecisionLayer, ToolSource, ToolTable, isOffer } from './contracts/decision.ts';
export type { Item, Offer, Verdict } from './contracts/decision.ts';
export { Endpoint } from './contracts/endpoint.ts';
export { Command } from './contracts/command.ts';
export type { CommandOption, Invocation } from './contracts/command.ts';
export { StartupReport } from './contracts/startupReport.ts';
export type { StartupItem } from './contracts/startupReport.ts';
export { ConfigControl, StateDirectory, WatchedDirectory } from './contracts/config.ts';
export type { Issue, ReloadReport } from './contracts/config.ts';
export type { Finding } from './contracts/finding.ts';
export type {
  Origin,
  Position,
  ReadSpec,
  Resource,
  ResourceDiff,
  ResourceDraft,
  ResourceFinding,
  ResourceKind,
} from './contracts/resource.ts';
export { Shutdown } from './contracts/shutdown.ts';

export { definitionNameFault } from './lib/definitionNameFault.ts';
export { Cancellation } from './lib/cancellation.ts';
export { CHANGING, READING, coreTool } from './coreTool.ts';
export { escapeUnprintable, holdsUnprintable, plainText } from './lib/plainText.ts';
export { HIDDEN } from './lib/hidden.ts';
export { replaceMarked } from './lib/markedSecrets.ts';
export { exitCodeFor } from './lib/exitCodeFor.ts';
export { isError } from './lib/isError.ts';
export { canonicalJson, isObject, jsonText, pathBelow } from './lib/json.ts';
export { didYouMean, nearest } from './lib/nearest.ts';
export { once } from './lib/once.ts';
export { packageFile } from './lib/packageFile.ts';
export { readSchema } from './lib/readSchema.ts';
export { singleFlight } from './lib/singleFlight.ts';
export { certificatesIn, trustedCertificates } from './lib/trustedCertificates.ts';
export { VERSION } from './lib/version.ts';
export { waitAtMost } from './lib/waitAtMost.ts';
export { homeFolder } from './lib/homeFolder.ts';
export { readYaml } from './lib/readYaml.ts';
export type { YamlSource } from './lib/readYaml.ts';
export { findingsIn, validateArguments } from './config/validate.ts';
export { issueText, placeText } from './lib/placeText.ts';
