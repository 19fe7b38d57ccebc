import type { Command } from 'pegboard';
import { printIdentity } from '../signIn/printIdentity.ts';
import { printStatus } from '../signIn/printStatus.ts';
import { printToken } from '../signIn/printToken.ts';
import { verb } from '../verb.ts';

export const auth: Command = {
  name: 'auth',
  summary: 'sign in at the gateway and at servers, and out',
  examples: ['pegboard auth login', 'pegboard auth status'],
  subcommands: [
    verb({
      name: 'login',
      summary: 'sign in with your browser',
      options: [
        { flags: '--server <name>', description: 'sign in at this server, too' },
        { flags: '--all', description: 'sign in at every server that wants it, one after the other' },
        { flags: '--silent', description: 'try first without a question, then ask' },
        { flags: '--no-browser', description: 'show the address instead of opening a browser' },
        {
          flags: '--device',
          description: 'the browser is on another machine: type a code there, or paste its last address',
        },
      ],
      examples: ['pegboard auth login', 'pegboard auth login --server github', 'pegboard auth login --all'],
      run: async (invocation) => (await import('../signIn/logIn.ts')).logIn(invocation),
    }),
    verb({
      name: 'logout',
      summary: 'end the sign-in and delete its tokens',
      options: [
        { flags: '--server <name>', description: 'only at this server' },
        { flags: '--all', description: 'at all gateways' },
        { flags: '-y, --yes', description: 'do not ask' },
      ],
      examples: [
        'pegboard auth logout',
        'pegboard auth logout --server github',
        'pegboard auth logout --all',
      ],
      run: async (invocation) => (await import('../signIn/logOut.ts')).logOut(invocation),
    }),
    verb({
      name: 'status',
      summary: 'whether you are signed in at the gateway and its servers, and until when',
      options: [{ flags: '--server <name>', description: 'only this server; exit code 2 without a sign-in' }],
      examples: ['pegboard auth status', 'pegboard auth status -o json'],
      run: printStatus,
    }),
    verb({
      name: 'whoami',
      summary: 'as whom you are signed in',
      examples: ['pegboard auth whoami', 'pegboard auth whoami -o name'],
      run: printIdentity,
    }),
    verb({
      name: 'sessions',
      summary: 'your sign-ins at the gateway: which client, since when, last used, and from where',
      subcommands: [
        verb({
          name: 'end',
          summary: 'end one of them, as with a lost computer, or all others',
          parameters: [{ name: '[id]', description: 'id of a sign-in' }],
          options: [
            { flags: '--others', description: 'all but the one of this command line' },
            { flags: '-y, --yes', description: 'do not ask' },
          ],
          examples: [
            'pegboard auth sessions end S4mpleS4mpleS4mpleS4mp',
            'pegboard auth sessions end --others',
          ],
          run: async (invocation) => (await import('../signIn/sessions.ts')).endSessions(invocation),
        }),
      ],
      examples: ['pegboard auth sessions', 'pegboard auth sessions -o json'],
      run: async (invocation) => (await import('../signIn/sessions.ts')).listSessions(invocation),
    }),
    verb({
      name: 'token',
      summary: 'print a valid access token, for scripts',
      examples: [
        'pegboard auth token',
        'curl -H "Authorization: Bearer $(pegboard auth token)" http://localhost:8090/mcp',
      ],
      run: printToken,
    }),
  ],
};
