import type { Env } from 'pegboard';

/** Descriptors from 3 on. Source: https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html */
const FIRST = 3;

/** Listening sockets that systemd, or another parent, has opened for this process; none if they are for another one.
 *  @param pid of this process */
export function inheritedSockets({ LISTEN_PID: of, LISTEN_FDS: count }: Env, pid: number): readonly number[] {
  if (of !== String(pid) || !/^[1-9]\d?$/.test(count ?? '')) return [];
  return Array.from({ length: Number(count) }, (_, at) => FIRST + at);
}
