import type { Finding } from 'pegboard';
import { rangeFindings } from '../http/contract.ts';
import type { OperatorsConfig } from './config.ts';

/** Entries that are not networks, and groups of `access` that name every caller, with their places. */
export function operatorFindings({ operators, access }: OperatorsConfig): readonly Finding[] {
  return [
    ...rangeFindings(operators.networks, ['operators', 'networks']),
    ...access.flatMap(({ groups, operator }, at): Finding[] => {
      if (operator === undefined || !groups.includes('*')) return [];
      const message = `access[${at}]: operator: ${operator} for the group * makes every caller an operator; name their group`;
      return [{ path: ['access', at, 'operator'], message }];
    }),
  ];
}
