/** Descriptors from 3 on. Source: https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html */
const FIRST = 3;

/** Listening sockets that systemd, or another parent, has opened for this process; none if they are for another one.
 *  They are given once: the variables are removed, because later those descriptors may be other open files.
 *  @param pid of this process */
export function inheritedSockets(env: NodeJS.ProcessEnv, pid: number): readonly number[] {
  const { LISTEN_PID: of, LISTEN_FDS: count } = env;
  delete env['LISTEN_PID'];
  delete env['LISTEN_FDS'];
  delete env['LISTEN_FDNAMES'];
  if (of !== String(pid) || !/^[1-9]\d?$/.test(count ?? '')) return [];
  return Array.from({ length: Number(count) }, (_, at) => FIRST + at);
}
