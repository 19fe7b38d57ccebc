import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { isProduct, isStopWord, phraseLength, standInsOf } from '../../../plugins/metatools/thesaurus.ts';
import { stem } from '../../../plugins/metatools/stem.ts';
import { discoveryQueries } from '../../support/discovery.ts';
import { boardOf, namesIn, serverTool } from './board.ts';

const FOLDER = new URL('../../../../plugins/metatools/thesaurus/', import.meta.url);
const linesOf = (name: string) =>
  readFileSync(new URL(name, FOLDER), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

describe('metatools: the thesaurus', () => {
  it('is made of well-formed lines', () => {
    for (const name of readdirSync(FOLDER)) {
      const isPairs = ['said.txt', 'foreign.txt', 'short.txt'].includes(name);
      const form = isPairs ? /^[^>,]+(?:, [^>,]+)* > [a-z0-9]+(?: [a-z0-9]+)*$/ : /^[^>,]+$/;
      for (const line of linesOf(name)) {
        expect(line, name).to.match(form);
        expect(line, name).to.equal(line.toLowerCase().trim());
      }
    }
  });

  it('holds no line that is made for one query of the set', () => {
    const queries = new Set(discoveryQueries('queries').map(({ query }) => query.toLowerCase()));
    for (const line of linesOf('said.txt').flatMap((one) => (one.split(' > ')[0] ?? '').split(', '))) {
      const isQuery = line.includes(' ') && queries.has(line);
      expect(isQuery, line).to.equal(false);
    }
  });

  it('finds what is said in a phrase, in another language or in British spelling', async () => {
    const board = await boardOf({
      tools: [
        serverTool('files', 'delete_file'),
        serverTool('files', 'read_file'),
        serverTool('crm', 'list_organizations'),
        serverTool('chart', 'set_color'),
      ],
    });
    const first = async (query: string) => namesIn(await board.ask('filter_tools', { query }))[0];
    expect(await first('get rid of the file')).to.equal('x_files_delete_file');
    expect(await first('eliminar archivo')).to.equal('x_files_delete_file');
    expect(await first('lire le fichier')).to.equal('x_files_read_file');
    expect(await first('organisations')).to.equal('x_crm_list_organizations');
    expect(await first('colours')).to.equal('x_chart_set_color');
  });

  it('takes the longest phrase, and knows no phrase where there is none', () => {
    expect(phraseLength(['get', 'rid', 'of', 'it'].map(stem), 0)).to.equal(3);
    expect(phraseLength(['blue', 'sky'].map(stem), 0)).to.equal(1);
    expect(standInsOf(stem('zeppelin'))).to.equal(undefined);
    expect(isStopWord('please')).to.equal(true);
  });

  it('is not sure of another product’s tools', async () => {
    const board = await boardOf({ tools: [serverTool('github', 'list_pull_requests')] });
    const isConfident = async (query: string) => (await board.ask('filter_tools', { query }))['confident'];
    expect(isProduct(stem('gitlab'))).to.equal(true);
    expect(await isConfident('list pull requests')).to.equal(true);
    expect(await isConfident('list gitlab pull requests')).to.equal(false);
  });
});
