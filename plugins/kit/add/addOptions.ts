import type { CommandOption } from 'pegboard';

/** The flags of `pegboard add`. */
export const ADD_OPTIONS: readonly CommandOption[] = [
  { flags: '-H, --header <key=value>', description: 'HTTP header for the URL', isList: true },
  { flags: '-e, --env <key=value>', description: 'environment variable of the command', isList: true },
  {
    flags: '-t, --transport <type>',
    description: 'transport of the URL, instead of asking it: streamable-http (http) or sse',
  },
  {
    flags: '--set <name=value>',
    description: 'argument or variable of a server.json, setting of a bundle',
    isList: true,
  },
  { flags: '--package <type>', description: 'which package of a server.json: npm, pypi, oci, nuget' },
  { flags: '--description <text>', description: 'what the server is for' },
  { flags: '--include-tools <names>', description: 'offer these tools only', isList: true },
  { flags: '--exclude-tools <names>', description: 'offer all tools but these', isList: true },
  { flags: '--call-timeout <time>', description: 'how long one call may take: 60, 5m, 5000ms' },
  { flags: '--yes', description: 'do not ask before what a link or a file describes is started' },
  { flags: '--unpinned', description: 'do not ask the registry; the version may change at each start' },
  { flags: '--trusted-root <file>', description: 'keys of Sigstore in place of those shipped' },
  { flags: '-s, --scope <scope>', description: 'as clients write it; changes nothing here' },
  { flags: '--trust', description: 'as clients write it; changes nothing here' },
];
