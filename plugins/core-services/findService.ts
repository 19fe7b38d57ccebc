import { GatewayError, didYouMean } from 'pegboard';
import type { Scope } from 'pegboard';
import { allServices } from '../kit/definitions/allServices.ts';
import type { ManagedService } from '../contracts/services.ts';

/** @throws GatewayError SERVICE_NOT_FOUND */
export function findService(scope: Scope<unknown>, name: string): ManagedService {
  const services = allServices(scope);
  const found = services.find((service) => service.name === name);
  if (found !== undefined) return found;
  const known = services.map((service) => service.name);
  const fix = didYouMean(name, known, 'list the known ones with core_service_list', 3);
  throw new GatewayError('SERVICE_NOT_FOUND', `service ${name} not found; ${fix}`);
}
