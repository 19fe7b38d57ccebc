const WORDS: Readonly<Record<string, string>> = {
  running: 'Running',
  connected: 'Connected',
  idle: 'Idle',
  stopping: 'Stopping',
  auth_required: 'Auth Required',
  failed: 'Failed',
  unreachable: 'Failed',
};

/** State of a service as definitions show it. Source: requirement server.words. */
export function stateInWords(state: string, type: string): string {
  const isProcess = type === 'stdio';
  if (state === 'starting') return isProcess ? 'Starting' : 'Connecting';
  return WORDS[state] ?? (isProcess ? 'Stopped' : 'Disconnected');
}

/** An idle server counts as connected: the next call starts it. */
const UP: readonly string[] = ['running', 'connected', 'idle'];
const TOLD: readonly string[] = ['auth_required', 'failed', 'unreachable'];

/** State of the server for callers; a suspended server is disconnected. Source: requirement resource.auth. */
export function sessionStatus(state: string): string {
  if (UP.includes(state)) return 'connected';
  return TOLD.includes(state) ? state : 'disconnected';
}

/** The first expression that matches the error decides. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/certificate|x509/, 'Certificate error - verify TLS configuration'],
  [/tls handshake/, 'TLS error - check server certificate and TLS configuration'],
  [
    /command not found|executable file not found|enoent|no such file/,
    'Command not found - check the executable path',
  ],
  [/permission denied|eacces/, 'Permission denied - check file permissions'],
  [/401|unauthorized|sign in|sign-in/, 'Authentication required - sign in to the server'],
  [/403|forbidden/, 'Access forbidden - check server permissions and credentials'],
  [/connection reset|econnreset/, 'Connection was reset by server - check server logs'],
  [/protocol|unsupported|revision/, 'Protocol error - check server type configuration'],
  [/json|parse/, 'Invalid response from server - check server compatibility'],
];

/** @returns what to do about the state, or undefined if nothing is to be done */
export function statusMessage(state: string, error = ''): string | undefined {
  if (state === 'starting') return 'Starting...';
  if (!TOLD.includes(state)) return undefined;
  if (state === 'auth_required') return 'Authentication required - sign in to the server';
  const text = error.toLowerCase();
  return CAUSES.find(([cause]) => cause.test(text))?.[1] ?? 'Server failed to start';
}
