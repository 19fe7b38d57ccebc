import { expect } from 'chai';
import { didYouMean, nearest } from '../../../kernel/lib/nearest.ts';

describe('nearest', () => {
  const names = ['autoStart', 'command', 'toolPrefix', 'x_files_read', 'x_files_write', 'x_git_log'];

  it('finds the name that was mistyped', () => {
    expect(nearest('autostart', names, 1)).to.deep.equal(['autoStart']);
    expect(nearest('comand', names, 1)).to.deep.equal(['command']);
    expect(nearest('x_file_read', names, 1)).to.deep.equal(['x_files_read']);
  });

  it('finds a name with two letters swapped, also a short one', () => {
    expect(nearest('prot', ['host', 'port', 'enabled'], 1)).to.deep.equal(['port']);
    expect(nearest('tyep', ['type', 'name'], 1)).to.deep.equal(['type']);
  });

  it('ranks a name without its prefix as very near', () => {
    expect(nearest('git_log', names, 1)).to.deep.equal(['x_git_log']);
    expect(nearest('log', names, 1)).to.deep.equal(['x_git_log']);
  });

  it('returns at most limit names, best first, and none that is far', () => {
    expect(nearest('x_files_rea', names, 2)).to.deep.equal(['x_files_read', 'x_files_write']);
    expect(nearest('zebra', names, 3)).to.deep.equal([]);
    expect(nearest('', names, 3)).to.deep.equal([]);
    expect(nearest('x', [], 3)).to.deep.equal([]);
  });
});

describe('didYouMean', () => {
  it('names the near candidates, else gives the other advice', () => {
    const names = ['x_files_read', 'x_files_write', 'x_git_log'];
    expect(didYouMean('x_files_rea', names, 'list them')).to.equal('did you mean x_files_read?');
    expect(didYouMean('x_files_rea', names, 'list them', 2)).to.equal(
      'did you mean x_files_read or x_files_write?',
    );
    expect(didYouMean('zebra', names, 'list them')).to.equal('list them');
  });
});
