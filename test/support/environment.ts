const NAME = 'NODE_EXTRA_CA_CERTS';
/** Workers of mocha inherit the environment of their parent. */
const KEPT = 'TEST_EXTRA_CA_CERTS';

/** Certificates named by the environment: every Node.js process reads all of them when it starts, which
 *  takes longer than the rest of its start. Only tests that use the network need them. */
export const certificates: Readonly<Record<string, string>> = ((): Record<string, string> => {
  const given = process.env[NAME] ?? process.env[KEPT];
  if (given === undefined) return {};
  process.env[KEPT] = given;
  Reflect.deleteProperty(process.env, NAME);
  return { [NAME]: given };
})();
