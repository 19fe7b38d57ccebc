import { GatewayError, didYouMean } from 'pegboard';
import type { Scope } from 'pegboard';
import { helpedBy } from '../kit/faults/remedy.ts';
import { allServices } from '../kit/definitions/allServices.ts';
import type { ManagedService } from '../contracts/services.ts';

/** @throws GatewayError SERVICE_NOT_FOUND */
export function findService(scope: Scope<unknown>, name: string): ManagedService {
  const services = allServices(scope);
  const found = services.find((service) => service.name === name);
  if (found !== undefined) return found;
  const known = services.map((service) => service.name);
  const text = `service ${name} not found`;
  const fix = didYouMean(name, known, '', 3);
  if (fix === '') throw helpedBy({ do: 'list', kind: 'services' }, 'SERVICE_NOT_FOUND', text);
  throw new GatewayError('SERVICE_NOT_FOUND', `${text}; ${fix}`);
}
