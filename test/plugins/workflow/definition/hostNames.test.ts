import { expect } from 'chai';
import { parseTemplate } from '@pegboard/gotpl';
import { HostNames } from '../../../../plugins/workflow/definition/hostNames.ts';

const ADDRESSES: Readonly<Record<string, string>> = { one: '192.0.2.1', two: '192.0.2.2' };

/** Renders with the given addresses and collects the names that were looked up. */
function names() {
  const asked: string[] = [];
  const hosts = new HostNames((name) => {
    asked.push(name);
    const address = ADDRESSES[name] ?? (name.startsWith('n') ? '192.0.2.9' : undefined);
    return address === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(address);
  });
  const options = { allow: ['getHostByName'], lookUpHost: hosts.lookUp };
  const render = (text: string): Promise<string> => {
    const template = parseTemplate(text, options);
    return hosts.during(() => template.render({}));
  };
  return { asked, render };
}

async function failureOf(work: Promise<string>): Promise<string> {
  return work.then(
    (text) => `no failure but ${text}`,
    (error: unknown) => String(error),
  );
}

describe('workflow: host names in templates', () => {
  it('are looked up while the template waits, each once', async () => {
    const { asked, render } = names();
    const text = '{{ getHostByName "one" }} {{ getHostByName "two" }} {{ getHostByName "one" }}';
    expect(await render(text)).to.equal('192.0.2.1 192.0.2.2 192.0.2.1');
    expect(asked).to.deep.equal(['one', 'two']);
  });

  it('are looked up again by the next rendering, and not mixed up by two concurrent ones', async () => {
    const { asked, render } = names();
    const one = '{{ getHostByName "one" }}';
    expect(await Promise.all([render(one), render('{{ getHostByName "two" }}'), render(one)])).to.deep.equal([
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.1',
    ]);
    expect(asked).to.deep.equal(['one', 'two', 'one']);
  });

  it('fail the template when a host does not exist or there are too many names', async () => {
    const { render } = names();
    expect(await failureOf(render('{{ getHostByName "gone" }}'))).to.contain(
      'error calling getHostByName: lookup gone: no such host',
    );
    const many = '{{ range until 20 }}{{ getHostByName (printf "n%d" .) }}{{ end }}';
    expect(await failureOf(render(many))).to.contain('may look up 16 names at most');
  });
});
