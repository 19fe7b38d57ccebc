import { join } from 'node:path';
import type { ServiceManager, ServiceProgram } from './serviceFileText.ts';

const LABEL = 'dev.pegboard.gateway';

/** An agent of the user's launchd. */
export function launchd(home: string, uid: number): ServiceManager {
  const file = join(home, 'Library/LaunchAgents', `${LABEL}.plist`);
  const log = join(home, 'Library/Logs/pegboard.log');
  const service = `gui/${uid}/${LABEL}`;
  return {
    name: 'launchd',
    file,
    text: (program) => plistOf(program, log),
    enable: () => [
      // A service that runs keeps its former definition; bootout of one that does not run fails.
      ['sh', '-c', `launchctl bootout ${service} 2>/dev/null || true`],
      ['launchctl', 'bootstrap', `gui/${uid}`, file],
    ],
    disable: [['launchctl', 'bootout', service]],
    forget: [],
    query: ['launchctl', 'print', service],
    stateIn: (printed) => {
      const state = /^[ \t]*state = (.+)$/m.exec(printed)?.[1] ?? 'unknown';
      const pid = /^[ \t]*pid = (\d+)$/m.exec(printed)?.[1];
      return { running: state === 'running', state, pid: pid === undefined ? undefined : Number(pid) };
    },
    needs: 'agents of launchd are for the user who is signed in at the screen',
    hints: [`tail -f ${log}   shows its log`],
  };
}

/** Source: https://keith.github.io/xcode-man-pages/launchd.plist.5.html */
function plistOf({ command, directory, path }: ServiceProgram, log: string): string {
  const words = [...command, 'serve', '--config-path', directory];
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by: pegboard service install -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${escaped(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict><key>PATH</key><string>${escaped(path)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>5</integer>
  <key>ExitTimeOut</key><integer>30</integer>
  <key>StandardErrorPath</key><string>${escaped(log)}</string>
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
