import type { Finding } from 'pegboard';
import { rangeFindings } from '../kit/http/addressRanges.ts';
import type { OperatorsConfig } from './config.ts';

/** Entries that are not networks, and groups of `access` that name every caller, with their places. */
export function operatorFindings({ operators, access }: OperatorsConfig): readonly Finding[] {
  return [
    ...rangeFindings(operators.networks, ['operators', 'networks']),
    ...operators.networks.flatMap((network, at): Finding[] => {
      if (!network.endsWith('/0')) return [];
      const message = `${network} makes every caller without a sign-in an operator, who can run commands on this machine`;
      return [{ path: ['operators', 'networks', at], message, severity: 'warning' }];
    }),
    ...access.flatMap(({ groups, operator }, at): Finding[] => {
      if (operator === undefined || !groups.includes('*')) return [];
      const message = `access[${at}]: operator: ${operator} for the group * makes every caller an operator; name their group`;
      return [{ path: ['access', at, 'operator'], message }];
    }),
  ];
}
