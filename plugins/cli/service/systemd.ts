import { join } from 'node:path';
import type { ServiceManager, ServiceProgram } from './serviceFileText.ts';

const UNIT = 'pegboard.service';
const SOCKET = 'pegboard.socket';
const systemctl = (...words: readonly string[]): readonly string[] => ['systemctl', '--user', ...words];
const OPEN = systemctl('restart', SOCKET);

/** A unit of the user's systemd. @param config `~/.config` */
export function systemd(config: string): ServiceManager {
  return {
    name: 'systemd',
    file: join(config, 'systemd/user', UNIT),
    text: unitOf,
    socket: {
      file: join(config, 'systemd/user', SOCKET),
      text: socketOf,
      open: OPEN,
      disable: systemctl('disable', '--now', SOCKET),
    },
    enable: ({ listen }) => {
      const hasSocket = listen.length > 0;
      return [
        systemctl('daemon-reload'),
        systemctl('enable', ...(hasSocket ? [SOCKET] : []), UNIT),
        // A socket whose service runs is not opened.
        systemctl('stop', UNIT),
        ...(hasSocket ? [OPEN] : []),
        systemctl('restart', UNIT),
      ];
    },
    // One that is not there is no fault, but would keep the other from being disabled.
    disable: [
      ['sh', '-c', `systemctl --user disable --now ${SOCKET} 2>/dev/null || true`],
      systemctl('disable', '--now', UNIT),
    ],
    forget: [systemctl('daemon-reload')],
    query: systemctl('show', UNIT, '--property=ActiveState,SubState,MainPID'),
    stateIn: (printed) => {
      const facts = new Map(printed.split('\n').map((line) => line.split('=', 2) as [string, string]));
      const running = facts.get('ActiveState') === 'active';
      const state = `${facts.get('ActiveState') ?? ''} (${facts.get('SubState') ?? ''})`;
      return { running, state, pid: running ? Number(facts.get('MainPID')) : undefined };
    },
    needs: 'a systemd of the user runs from a sign-in on, not in containers and not behind su or sudo',
    hints: [
      `systemctl --user stop ${SOCKET} ${UNIT}   stops it; while the socket is there, a connection starts it`,
      'journalctl --user -u pegboard -f   shows its log',
      'loginctl enable-linger             lets it run while you are signed out',
    ],
  };
}

/** Source: https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html */
function unitOf({ command, directory, path, listen }: ServiceProgram): string {
  const words = [...command, 'serve', '--config-path', directory];
  return `# Written by: pegboard service install
[Unit]
Description=Pegboard, one MCP endpoint for all MCP servers
After=network-online.target
${listen.length > 0 ? `# It opens the port, so that connections wait during a restart.\nRequires=${SOCKET}\nAfter=${SOCKET}\n` : ''}
[Service]
Type=exec
ExecStart=${words.map((word) => quoted(word.replaceAll('$', '$$$$'))).join(' ')}
# Stdio servers are found by it.
Environment=${quoted(`PATH=${path}`)}
# Variables that definitions refer to, one NAME=value a line.
EnvironmentFile=-${directory.replaceAll('%', '%%')}/environment
Restart=on-failure
RestartSec=2
# A wrong configuration stays wrong.
RestartPreventExitStatus=2 3 64
TimeoutStopSec=30
KillMode=mixed
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`;
}

/** Source: https://www.freedesktop.org/software/systemd/man/latest/systemd.socket.html */
function socketOf({ listen }: ServiceProgram): string {
  return `# Written by: pegboard service install
[Unit]
Description=The port of Pegboard

[Socket]
${listen.map((address) => `ListenStream=${address}\n`).join('')}# With a wrong configuration, each connection would start the service again.
TriggerLimitIntervalSec=60
TriggerLimitBurst=5

[Install]
WantedBy=sockets.target
`;
}

/** Only command lines expand `$`, not Environment=. Source: https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html#Quoting */
function quoted(word: string): string {
  const plain = word.replaceAll('%', '%%');
  return /^[\w@+=:,./%$-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, '\\$&')}"`;
}
