import type { Scope } from 'pegboard';
import { Operators } from '../../contracts/operators.ts';
import type { Asker } from '../../contracts/operators.ts';
import { suffices } from './authority.ts';

/** Whether the request may see what is for operators; true without the plugin. */
export function mayOperate(scope: Pick<Scope<unknown>, 'all'>, request: Asker): boolean {
  return scope.all(Operators).every((operators) => suffices(operators.authorityOf(request), 'operate'));
}
