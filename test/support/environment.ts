const NAME = 'NODE_EXTRA_CA_CERTS';
/** Workers of mocha begin with the environment of their parent. */
const KEPT = 'TEST_EXTRA_CA_CERTS';

/** Certificates that the environment names: every process of Node.js that begins with them reads all of them first, which
 *  takes longer than all else of its start. Only what reaches the network needs them. */
export const certificates: Readonly<Record<string, string>> = ((): Record<string, string> => {
  const given = process.env[NAME] ?? process.env[KEPT];
  if (given === undefined) return {};
  process.env[KEPT] = given;
  Reflect.deleteProperty(process.env, NAME);
  return { [NAME]: given };
})();
