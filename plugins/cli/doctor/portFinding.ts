import { connect } from 'node:net';
import type { NamedEndpoint } from '../endpointOf.ts';
import type { DoctorFinding } from './doctorFinding.ts';

const CONNECT_MS = 2_000;

/** A finding if another program has taken the port of an address at which no gateway answers. */
export async function portFinding({ url, source }: NamedEndpoint): Promise<DoctorFinding | undefined> {
  const { hostname, port } = new URL(url);
  const number = Number(port === '' ? 80 : port);
  if (!(await accepts(hostname.replace(/^\[|\]$/g, ''), number))) return undefined;
  return {
    level: 'error',
    subject: 'port',
    message: `${number} (${source}) is taken by a program that is not a gateway`,
    fix: `lsof -i :${number} names the program: end it, or set aggregator.port to another one`,
  };
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const settle = (isTaken: boolean) => (): void => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.on('connect', settle(true)).on('error', settle(false)).on('timeout', settle(false));
  });
}
