import type { Scope } from 'pegboard';
import { unknownName } from '../kit/faults/remedy.ts';
import { allServices } from '../kit/definitions/allServices.ts';
import type { ManagedService } from '../contracts/services.ts';

/** @throws GatewayError SERVICE_NOT_FOUND */
export function findService(scope: Scope<unknown>, name: string): ManagedService {
  const services = allServices(scope);
  const found = services.find((service) => service.name === name);
  if (found !== undefined) return found;
  const known = services.map((service) => service.name);
  throw unknownName({ name, known, kind: 'services' }, 'SERVICE_NOT_FOUND', `service ${name} not found`);
}
