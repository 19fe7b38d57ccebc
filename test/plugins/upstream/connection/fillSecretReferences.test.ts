import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/index.ts';
import { fillSecretReferences } from '../../../../plugins/upstream/connection/fillSecretReferences.ts';
import type { SecretSource } from '../../../../plugins/contracts/secrets.ts';
import { refusalOf } from '../../../support/kernel.ts';

const SOURCE: SecretSource = {
  read: ({ name }, keys) => Promise.resolve(keys.map((key) => `<${name} ${key} \${secret:a/b}>`)),
};
const NONE = { secrets: [], referred: [], faults: [] };
const given = (values: Readonly<Record<string, string>>) => ({ values, ...NONE });

describe('references to secrets of the platform', () => {
  it('are filled once, in any number and place, and hidden alone and as a whole', async () => {
    const values = {
      A: 'Bearer ${secret:tracker/token}',
      B: 'none ${caller:x}',
      C: '${secret:a.b/c}${secret:d/e_f.g}',
    };
    const filled = await fillSecretReferences(given(values), SOURCE, 'env');
    const [token, c, d] = [
      '<tracker token ${secret:a/b}>',
      '<a.b c ${secret:a/b}>',
      '<d e_f.g ${secret:a/b}>',
    ];
    expect(filled.values).deep.equal({ A: `Bearer ${token}`, B: 'none ${caller:x}', C: `${c}${d}` });
    expect(filled.secrets).have.deep.members([
      ...[
        ['A', token],
        ['A', `Bearer ${token}`],
      ],
      ...[
        ['C', c],
        ['C', d],
        ['C', `${c}${d}`],
      ],
    ]);
  });

  it('are refused in file mode, with the place', async () => {
    const refused = await refusalOf(() =>
      fillSecretReferences(given({ A: '${secret:s/k}' }), undefined, 'headers'),
    );
    expect(refused).include({ code: 'CONFIG_REFERENCE' });
    expect(refused.message).equal(
      'headers.A names the key k of the secret s, which is read in orchestrator mode only',
    );
  });

  it('have the code of the source if it fails, with the place', async () => {
    const read = () => Promise.reject(new GatewayError('STORE_FORBIDDEN', 'you may not'));
    const refused = await refusalOf(() =>
      fillSecretReferences(given({ A: '${secret:s/k}' }), { read }, 'env'),
    );
    expect(refused).include({ code: 'STORE_FORBIDDEN' });
    expect(refused.message).equal('env.A names the key k of the secret s, which cannot be read: you may not');
  });

  it('are not what cannot be the name of a secret', async () => {
    const values = { A: '${secret:../k}', B: '${secret:s}', C: '${secret:S/k}', D: '${secret:s/k/l}' };
    expect((await fillSecretReferences(given(values), undefined, 'env')).values).deep.equal(values);
  });
});
