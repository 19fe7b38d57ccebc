export { secretsIn } from './shared/secretsIn.ts';
