/** Reads `+ group` and `- group`; the end of its input means that Pegboard has ended, for any reason. */
const SCRIPT = `
trap '' HUP INT TERM QUIT PIPE
groups=' '
while read -r op group; do
  case "$op" in
    +) groups="$groups$group " ;;
    -) kept=' '
       for one in $groups; do [ "$one" = "$group" ] || kept="$kept$one "; done
       groups=$kept ;;
  esac
done
for one in $groups; do kill -s KILL -- "-$one" 2>/dev/null; done
`;

/** The same for Windows, which has neither that shell nor groups. */
const WINDOWS_SCRIPT = `
  const { spawnSync } = require('node:child_process');
  const trees = new Set();
  require('node:readline').createInterface(process.stdin).on('line', (line) => {
    const [op, pid] = line.split(' ');
    if (op === '+') trees.add(pid);
    else trees.delete(pid);
  }).on('close', () => {
    for (const pid of trees) spawnSync('taskkill', ['/pid', pid, '/t', '/f']);
  });
`;

/** What runs the process that ends the servers once Pegboard has ended. */
export function watchdogCommand(
  platform: NodeJS.Platform = process.platform,
): readonly [file: string, ...args: string[]] {
  return platform === 'win32' ? [process.execPath, '-e', WINDOWS_SCRIPT] : ['/bin/sh', '-c', SCRIPT];
}
