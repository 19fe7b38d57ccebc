/** What several built-in plugins share, and third parties' plugins may use, imported as `pegboard/kit`: behaviour by subject. */
export { ADMIN, isOperator } from './kit/authority/adminPages.ts';
export {
  WHO_OPERATES,
  authorityTaken,
  groupsOf,
  isOfIssuer,
  onlyForOperators,
  reachesOut,
  suffices,
} from './kit/authority/authority.ts';
export { mayOperate } from './kit/authority/mayOperate.ts';
export { callerKey, ownerOf, sharerOf } from './kit/authority/ownerOf.ts';
export { exactForm, exactText, withExactForm } from './kit/calls/exactNumbers.ts';
export { firstAnswer } from './kit/calls/firstAnswer.ts';
export { inSpan } from './kit/calls/inSpan.ts';
export { internalErrorText } from './kit/calls/internalErrorText.ts';
export { isTaskOnly } from './kit/calls/isTaskOnly.ts';
export {
  invalidToolset,
  refuseCount,
  selectorFault,
  selectorParts,
  unknownPreset,
} from './kit/calls/selectors.ts';
export { traceIdOf } from './kit/calls/traceIdOf.ts';
export { wantedTypes } from './kit/calls/wantedTypes.ts';
export { actionWords } from './kit/faults/action.ts';
export type { Action, Surface } from './kit/faults/action.ts';
export { helpedBy, remedyBy, remedyOf } from './kit/faults/remedy.ts';
export type { Remedy } from './kit/faults/remedy.ts';
export { isMovedBeside, valueAt } from './kit/definitions/beside.ts';
export { refuseReferences, refusedReferences } from './kit/definitions/refuseReferences.ts';
export { annotationsOf, registeredByOf, writerIn, writerOf } from './kit/definitions/registeredBy.ts';
export { createFile, replaceFile } from './kit/files/atomicFile.ts';
export { editYaml } from './kit/files/editYaml.ts';
export { warnOfOpenKeyFile, warnOfOpenKeys } from './kit/files/warnOfOpenKeys.ts';
export { writing } from './kit/files/writing.ts';
export { addressRanges, rangeFindings } from './kit/http/addressRanges.ts';
export { BrowserCookie } from './kit/http/browserCookie.ts';
export type { BrowserCookieParts, BrowserId } from './kit/http/browserCookie.ts';
export { EventWriter, oneLine } from './kit/http/eventWriter.ts';
export { hostName, hostNames } from './kit/http/hostNames.ts';
export { LineLimit } from './kit/http/lineLimit.ts';
export { html, page } from './kit/http/page.ts';
export type { Html } from './kit/http/page.ts';
export { RateLimit } from './kit/http/rateLimit.ts';
export { securityHeaders } from './kit/http/securityHeaders.ts';
export { openSideListener } from './kit/http/sideListener.ts';
export type { SideListener, SideListenerParts } from './kit/http/sideListener.ts';
export { needsSignIn } from './kit/http/signInSettings.ts';
export { statusOf } from './kit/http/statusOf.ts';
export { InFlight } from './kit/limits/inFlight.ts';
export { inTurn } from './kit/limits/inTurn.ts';
export { setNewest } from './kit/limits/setNewest.ts';
export { hasShare, surplus } from './kit/limits/shares.ts';
export { Turns } from './kit/limits/turns.ts';
export { BYTES_PER_TOKEN, estimatedTokens } from './kit/metrics/estimatedTokens.ts';
export { Histogram } from './kit/metrics/histogram.ts';
export { outcomeOf } from './kit/metrics/outcomeOf.ts';
export { Tally } from './kit/metrics/tally.ts';
export { noticeOf } from './kit/notices/noticeOf.ts';
export type { NoticeFacts } from './kit/notices/noticeOf.ts';
export { stateInWords } from './kit/notices/stateInWords.ts';
export { audienceScope } from './kit/oauth/audienceScope.ts';
export { fillCallerReferences, isForCallers, isSingleSignOn, readAuthRules } from './kit/oauth/authRules.ts';
export type { Downstream, DownstreamOptions, DownstreamToken } from './kit/oauth/downstream.ts';
export type { ClientSecret, ExchangeTarget, TargetClient } from './kit/oauth/exchangeTarget.ts';
export { OAuthError } from './kit/oauth/oauthError.ts';
export type { OAuthErrorDetails } from './kit/oauth/oauthError.ts';
export { openDownstream } from './kit/oauth/openDownstream.ts';
export { signInCall } from './kit/oauth/signInCall.ts';
export { actionForm } from './kit/pages/actionForm.ts';
export type { FormParts } from './kit/pages/actionForm.ts';
export { defineAdminPage } from './kit/pages/defineAdminPage.ts';
export { excerpt } from './kit/pages/excerpt.ts';
export type { Excerpt } from './kit/pages/excerpt.ts';
export { asked, filterForm } from './kit/pages/filterForm.ts';
export type { FilterField } from './kit/pages/filterForm.ts';
export { pager } from './kit/pages/pager.ts';
export { badge, facts, hyperlink, output, section, table } from './kit/pages/parts.ts';
export type { TableCell } from './kit/pages/parts.ts';
export {
  ago,
  block,
  count,
  counted,
  inPath,
  sentence,
  shortId,
  shown,
  span,
  took,
} from './kit/pages/words.ts';
export { hiddenSpec } from './kit/secrets/hiddenSpec.ts';
export { hideMarked } from './kit/secrets/hideMarked.ts';
export { hiddenIn, hiderOf, isSecretName } from './kit/secrets/hiding.ts';
export { isPlaceholder } from './kit/secrets/isPlaceholder.ts';
export { isSecret, keptUnlessSecret } from './kit/secrets/isSecret.ts';
export { newKeyRing } from './kit/secrets/keyRing.ts';
export { keysFor } from './kit/secrets/keysFor.ts';
export { nameOf } from './kit/secrets/names.ts';
export { consistsOfReferences, fillReferences, holdsOnlyReferences } from './kit/secrets/references.ts';
export type { Filled } from './kit/secrets/references.ts';
export { SEAL_BYTES, sealBytes, unsealBytes } from './kit/secrets/seal.ts';
export { hideInUrl, hideInWords, isHidden, secretsGiven } from './kit/secrets/secretPlaces.ts';
export { variableIn } from './kit/secrets/variableIn.ts';
export { secretsIn } from './kit/secrets/secretsIn.ts';
export { compileGlob, globFault, globOf } from './kit/text/glob.ts';
export type { Glob } from './kit/text/glob.ts';
export { isWebAddress } from './kit/text/isWebAddress.ts';
export { LineSplitter } from './kit/text/lineSplitter.ts';
export { parseDuration } from './kit/text/parseDuration.ts';
export { rawMember, splitArray, withRawMember, withRawMeta } from './kit/text/rawJson.ts';
export { wordDiff, wordDiffText } from './kit/text/wordDiff.ts';
export type { WordChange } from './kit/text/wordDiff.ts';
export { fetchTrust, tlsFindings } from './kit/tls/fetchTrust.ts';
export { CountedVault } from './kit/vault/countedVault.ts';
export { JsonVault } from './kit/vault/jsonVault.ts';
export type { VaultWrite } from './kit/vault/jsonVault.ts';
export { SharedTable, sharedState } from './kit/vault/sharedTable.ts';
export type { EntryLease, SharedState, SharedTableParts } from './kit/vault/sharedTable.ts';
export { vaultKeys } from './kit/vault/vaultKeys.ts';
