import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { isHarmless } from '../../../../plugins/kit/secrets/isHarmless.ts';
import { isPlaceholder } from '../../../../plugins/kit/secrets/isPlaceholder.ts';
import { isSecret, keptUnlessSecret } from '../../../../plugins/kit/secrets/isSecret.ts';
import { hideInUrl, hideInWords } from '../../../../plugins/kit/secrets/secretPlaces.ts';

/** A value as configuration files of clients have it. `part`: what must not be seen of it */
type Row = readonly [
  place: 'env' | 'header' | 'words' | 'url',
  name: string,
  value: string | readonly string[],
  answer: 'secret' | 'plain' | 'placeholder',
  part?: string,
];

/** Real places and names with values made up in the same shapes. A middle dot keeps scanners of repositories from taking them for live ones. */
const ROWS = readFileSync('test/plugins/kit/secrets/values.jsonl', 'utf8')
  .replaceAll('·', '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Row);

type Named = readonly [name: string, value: string];

/** Values of env and headers that may be shown in what servers say. */
const PLAIN: readonly Named[] = [
  ['ROOT', '/srv/files/data'],
  ['NOTES', '~/notes/work'],
  ['CONFIG', './config/app.yaml'],
  ['OBSIDIAN_VAULT', '/Users/me/Vault Notes'],
  ['DIR', 'C:\\Users\\Jörg\\notes'],
  ['DIR', 'C:\\Program Files (x86)\\App\\x'],
  ['DIR', 'D:/data/[old], new + more'],
  ['SHARE', '\\\\nas\\share\\x'],
  ['PYTHONPATH', '/usr/lib/python3.12/site-packages/@x'],
  ['BASE_URL', 'https://api.example.org/v2'],
  ['BASE_URL', 'http://127.0.0.1:8080/mcp/'],
  ['BASE_URL', 'ws://[::1]:9222/a'],
  ['AWS_REGION', 'eu-central-1'],
  ['X-Region', 'us-east1'],
  ['DB_HOST', 'db.internal:5432'],
  ['PGHOST', 'pg-main.internal'],
  ['NODE_ENV', 'production'],
  ['LOG_LEVEL', 'debug'],
  ['MODEL', 'claude-3-7-sonnet-20250219'],
  ['LANG', 'sk_SK.UTF-8'],
  ['TZ', 'Europe/Berlin'],
  ['PORT', '8080'],
  ['DEBUG', 'true'],
];

/** Values that may be secrets, whatever they look like. */
const DOUBTFUL: readonly Named[] = [
  ['AUTH_USER', 'admin:secretpass'],
  ['BASIC_AUTH_USERS', 'admin:hunterpass,bob:builder'],
  ['SMTP_LOGIN', 'bob@example.com:hunterpass'],
  ['LOGIN', 'bob/hunterhunter'],
  ...[
    ...['DBPASS', 'SMTPPASS', 'PGPASS', 'MASTERKEY', 'ACCESSKEY', 'PASSKEY', 'WIFI_PSK', 'SALT', 'SEED'],
    ...['ACCESS_CODE', 'SESSION', 'TOKEN_NAME', 'LICENCE', 'DB_PASSWORD', 'PIN_MODE', 'VALUE', 'SUPPORT'],
  ].map((name): Named => [name, 'correcthorse']),
  ['SESSION_DIR', '/srv/files/data'],
  ['AUTHHOST', 'db.internal'],
  ['LICENSE', 'QWER-TYUI-1234-OPAS'],
  ['DB_PASSWORD', 'production'],
  ['DB_PASSWORD', 'changeme'],
  ['API_KEY', 'your-own-secret-key'],
  ['VALUE', '<token>'],
  ['SECRET_KEY', '/aBcdEfgh/IjKlmnop/QrStUvWx'],
  ['VALUE', '/aBcdEfgh/IjKlmnop/QrStUvWx'],
  ['VALUE', '/srv/aB3xQ9zL.kT7pW2mN/x'],
  ['VALUE', '/srv/sk-abcdefgh1234'],
  ['VALUE', '/srv/qwertyuiopasdfghjklzxcvb'],
  ['VALUE', '/usr/lib/a:/srv/hunter'],
  ['JWT_SECRET', 'my.secret.env'],
  ['VALUE', 'my.secret.env'],
  ['API_KEY', 'abcdef.json'],
  ['API_KEY', 'https://user@host/x'],
  ['VALUE', 'https://a:b@c/'],
  ['BOT_URL', 'https://api.telegram.org/bot123456789:AAHdqTcv'],
  ['FUNCTION_URL', 'https://x.azurewebsites.net/api/f?code=aB3dE5fG7hI9%3D%3D'],
  ['VALUE', 'https://x.example/mcp?sid=ab12.cd34.ef56.gh78.ij90'],
  ['VALUE', 'https://x.example/mcp?k=qwertyuiopasdfghjklzxcvb'],
  ['VALUE', 'https://x.example/mcp#part'],
  ['VALUE', 'https://x.example/t/a1b2c3d4'],
  ['VALUE', 'https://correcthorsebattery@host/'],
  ['VALUE', 'sb://acme.example;SharedAccessKey=correcthorse/'],
  ['DB_HOST', 'admin:hunter'],
  ['DB_HOST', 'admin@hunter'],
  ['LANG', 'de,hunter'],
  ['MODE', 'qwertyuiopasdfghjklzxcvb'],
  ['VALUE', 'hunter2'],
  ['VALUE', 'a key of\n"two" lines'],
  ['VALUE', '4815162342'],
  ['PORT', '4815162342'],
  ['VALUE', 'p4-[(21$'],
  ['VALUE', 'Zx9kQ2mV'],
];

/** What a definition shows of a value, when its secrets are hidden. */
function shownOf([place, name, value]: Row): string {
  if (typeof value !== 'string')
    return hideInWords(
      value.map((word) => (isSecret('', word) && !word.includes('://') ? '[redacted]' : word)),
      keptUnlessSecret,
    ).join(' ');
  return place === 'url' ? hideInUrl(value, keptUnlessSecret) : keptUnlessSecret(value, name);
}

describe('secrets of definitions', () => {
  it('are told from plain values and placeholders by name, form and place', () => {
    expect(ROWS.length).above(300);
    const wrong = ROWS.filter((row) => {
      const [place, , value, answer, part = '\0'] = row;
      const shown = shownOf(row);
      const isHidden = shown !== [value].flat().join(' ');
      const isExample = (place === 'env' || place === 'header') && isPlaceholder(String(value));
      if (answer === 'secret') return !isHidden || shown.includes(part);
      return isHidden || isExample !== (answer === 'placeholder');
    });
    expect(wrong).deep.equal([]);
  });

  it('are all that is not certainly plain, where words of servers are hidden', () => {
    const wrong = [
      ...PLAIN.filter(([name, value]) => !isHarmless(name, value)),
      ...DOUBTFUL.filter(([name, value]) => isHarmless(name, value)),
    ];
    expect(wrong).deep.equal([]);
  });

  it('are judged in linear time', () => {
    const begun = performance.now();
    const parts = [
      'a=',
      ':-',
      '--a=',
      '{"a":"',
      'x-',
      'a;b=',
      'https://',
      '${env:',
      'your-',
      'aA1',
      '/a',
      '"a: b',
    ];
    const values = [...parts.map((part) => part.repeat(50_000)), `"a:${' '.repeat(200_000)}`];
    for (const value of values) {
      for (const name of ['A', 'TOKEN', 'PATH']) isSecret(name, value);
      for (const name of ['A', 'HOST']) isHarmless(name, value);
      hideInWords([value], keptUnlessSecret);
    }
    expect(performance.now() - begun).below(10_000);
  });
});
