/** A mistake in one source, which the tests of these files must notice. */
export interface Mutant {
  /** What the mistake does. */
  readonly does: string;
  readonly file: string;
  /** Is once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

/** Mistakes in the kernel and in what guards a gateway. */
export const MUTANTS: readonly Mutant[] = [
  {
    does: 'waits for runs on the current hooks too',
    file: 'kernel/bus.ts',
    find: 'this.#former.map(',
    replace: '[...this.#former, this.#generation].map(',
    tests: ['test/kernel/bus.test.ts'],
  },
  {
    does: 'lets the last plugin widen what others have narrowed',
    file: 'kernel/gate.ts',
    find: 'intersection(this[NARROWED], toolset)',
    replace: 'toolset',
    tests: ['test/kernel/gate.test.ts'],
  },
  {
    does: 'hides a secret in base64 only at the beginning',
    file: 'plugins/kit/secrets/hiding.ts',
    find: '[0, 1, 2].flatMap(',
    replace: '[0].flatMap(',
    tests: ['test/plugins/kit/secrets/hiding.test.ts'],
  },
  {
    does: 'calls a host of which one address is public and one private',
    file: 'plugins/kit/net/guardedFetch.ts',
    find: '!classes.every((found) => open.includes(found))',
    replace: '!classes.some((found) => open.includes(found))',
    tests: ['test/plugins/kit/net/guardedFetch.test.ts'],
  },
  {
    does: 'does not except a family that except names',
    file: 'plugins/deny/denialsOf.ts',
    find: 'excepted.some((matches) => names.some(matches))',
    replace: 'excepted.some((matches) => matches(name))',
    tests: ['test/plugins/deny/deny.test.ts'],
  },
  {
    does: 'gives all tools to callers that have not signed in',
    file: 'plugins/kit/authority/toolsetFor.ts',
    find: "transport === 'stdio' ? undefined : NOT_SIGNED_IN",
    replace: 'undefined',
    tests: ['test/plugins/kit/authority/toolsetFor.test.ts'],
  },
  {
    does: 'lets who operates define',
    file: 'plugins/operators/operatorsLayer.ts',
    find: 'suffices(held, taken)',
    replace: "held !== 'use'",
    tests: ['test/plugins/operators/operators.test.ts'],
  },
  {
    does: 'admits one call more than the burst',
    file: 'plugins/limits/meter.ts',
    find: '(size - tokens) * intervalMs',
    replace: '(size - tokens + 1) * intervalMs',
    tests: ['test/plugins/limits/limits.test.ts'],
  },
  {
    does: 'answers pages of other names of the same site',
    file: 'plugins/http/hosts.ts',
    find: "site === 'same-origin' || site === 'none'",
    replace: "site !== 'cross-site'",
    tests: ['test/plugins/http/hosts.test.ts'],
  },
  {
    does: 'lets pages of other names of the same site change what the admin pages show',
    file: 'plugins/admin/web/checkSender.ts',
    find: "site !== 'same-origin' && site !== 'none'",
    replace: "site === 'cross-site'",
    tests: ['test/plugins/admin/web/senders.test.ts'],
  },
  {
    does: 'admits who sends no token',
    file: 'plugins/local-token/tokenGuard.ts',
    find: 'return token === undefined || ',
    replace: 'return token !== undefined && ',
    tests: ['test/plugins/local-token/localToken.test.ts'],
  },
  {
    does: 'sends codes to whatever begins like a redirect URI of the client',
    file: 'plugins/auth-server/clients/redirectUri.ts',
    find: '.includes(withoutLoopbackPort(uri))',
    replace: '.some((own) => withoutLoopbackPort(uri).startsWith(own))',
    tests: ['test/plugins/auth-server/endpoints/authorize.test.ts'],
  },
  {
    does: 'gives tokens for any code_verifier',
    file: 'plugins/auth-server/grants/codeGrant.ts',
    find: ' || !isSame(challenge, code.challenge)',
    replace: '',
    tests: ['test/plugins/auth-server/endpoints/token.test.ts'],
  },
  {
    does: 'lets a sign-in live on whose refresh token was used twice',
    file: 'plugins/auth-server/grants/refreshGrant.ts',
    find: "await this.#theft(signIn, 'refresh-token-reused')",
    replace: "refused('refresh-token-reused')",
    tests: ['test/plugins/auth-server/endpoints/token.test.ts'],
  },
  {
    does: 'answers a caller with the result of another that has used the same key',
    file: 'plugins/idempotency/vaultedCalls.ts',
    find: '[ownerOf(request), tool.name, key]',
    replace: '[tool.name, key]',
    tests: ['test/plugins/idempotency/vaultedCalls.test.ts'],
  },
  {
    does: 'keeps a reference whose server has moved',
    file: 'plugins/references/refusedIn.ts',
    find: '!isMovedBeside(path, next, stored)',
    replace: 'true',
    tests: ['test/plugins/references/references.test.ts'],
  },
  {
    does: 'loses a record whose mark spans two pieces',
    file: 'plugins/vault-file/reader.ts',
    find: 'WINDOW_BYTES + MARK.length - 1',
    replace: 'WINDOW_BYTES',
    tests: ['test/plugins/vault-file/sealedLog.test.ts'],
  },
  {
    does: 'ignores the error that ends a watch',
    file: 'plugins/store-kubernetes/watch/watchReader.ts',
    find: "if (type === 'ERROR') throw errorOfStatus(object);",
    replace: '',
    tests: ['test/plugins/store-kubernetes/watch/watchReader.test.ts'],
  },
  {
    does: 'lets changes wait as long as others follow',
    file: 'plugins/store-kubernetes/store/reloads.ts',
    find: 'Math.min(QUIET_MS, this.#since + MAX_WAIT_MS - now)',
    replace: 'QUIET_MS',
    tests: ['test/plugins/store-kubernetes/store/reloads.test.ts'],
  },
  {
    does: 'reports the tools of a server as lost that did not connect in the trial',
    file: 'plugins/cli/plan/toolChanges.ts',
    find: ' && !isUnknown(tool)',
    replace: '',
    tests: ['test/plugins/cli/plan/toolChanges.test.ts'],
  },
];
