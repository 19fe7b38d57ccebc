import { expect } from 'chai';
import { askedActs, askedObjects, isAgainst } from '../../../../../plugins/metatools/search/acts.ts';
import { Thesaurus } from '../../../../../plugins/metatools/search/thesaurus/thesaurus.ts';
import { SearchIndex } from '../../../../../plugins/metatools/search/searchIndex.ts';
import { stem } from '../../../../../plugins/metatools/search/thesaurus/stem.ts';
import { wordLines, wordLists } from '../../../../../plugins/metatools/search/thesaurus/wordFiles.ts';
import { Visible } from '../../../../../plugins/metatools/search/visible.ts';
import { discoveryQueries } from '../../../../support/discovery.ts';
import { boardOf, namesIn, serverTool } from '../../board.ts';

const LISTS = wordLists();
const FILES = ['about', 'alike', 'cues', 'fields', 'foreign', 'said'];
const PAIRS = [...FILES.filter((name) => name !== 'alike'), 'groups', 'short', 'acts'];
const linesOf = (name: string) => LISTS.get(name) ?? wordLines(name);

describe('metatools: the thesaurus', () => {
  const thesaurus = new Thesaurus(stem);

  it('consists of well-formed lines', () => {
    for (const name of [...FILES, ...LISTS.keys()]) {
      const form = PAIRS.includes(name) ? /^[^>,]+(?:, [^>,]+)* > [a-z0-9]+(?: [a-z0-9]+)*$/ : /^[^>,]+$/;
      for (const line of linesOf(name)) {
        expect(line, name).to.match(form);
        expect(line, name).to.equal(line.toLowerCase().trim());
      }
    }
  });

  it('contains no line written for one query of the discovery set', () => {
    const queries = new Set(discoveryQueries('queries').map(({ query }) => query.toLowerCase()));
    const lines = [...linesOf('said'), ...linesOf('fields')];
    for (const line of lines.flatMap((one) => (one.split(' > ')[0] ?? '').split(', '))) {
      const isQuery = line.includes(' ') && queries.has(line);
      expect(isQuery, line).to.equal(false);
    }
  });

  it('finds tools by phrases, words of other languages and British spelling', async () => {
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

  it('maps every word to its meanings', () => {
    const pairs = [...linesOf('said'), ...linesOf('fields')].map((line) => line.split(' > '));
    for (const [said = '', meant = ''] of pairs) {
      for (const word of said.split(', ').filter((one) => /^[a-z]+$/.test(one))) {
        const others = meant.split(' ').filter((one) => stem(one) !== stem(word));
        expect([...(thesaurus.standInsOf(stem(word))?.keys() ?? [])], word).to.include.members(
          others.map(stem),
        );
      }
    }
    expect(thesaurus.standInsOf('to do')?.has('task')).to.equal(true);
  });

  it('finds the longest phrase, also with fillers or one other word between its words', () => {
    const phraseIn = (query: string, at = 0) => thesaurus.phraseAt(query.split(' ').map(stem), at);
    expect(phraseIn('get rid of it')).to.deep.equal({ key: 'get rid', places: [0, 1] });
    expect(phraseIn('switch the old flag off')).to.equal(undefined);
    expect(phraseIn('switch that flag off')).to.deep.equal({ key: 'switch off', places: [0, 3] });
    expect(phraseIn('blue sky')).to.equal(undefined);
    expect(thesaurus.standInsOf(stem('zeppelin'))).to.equal(undefined);
    expect(thesaurus.isStopWord('please')).to.equal(true);
  });

  it('finds a phrase whose words are apart; for two words only if they are near each other', () => {
    const scatteredIn = (query: string) => {
      const stems = query.split(' ').map(stem);
      return stems.flatMap((_, at) => thesaurus.scatteredAt(stems, at, new Set(stems)));
    };
    expect(scatteredIn('rid me of what i get')).to.include('get rid');
    expect(scatteredIn('rid of the rats in our cellar what do we get')).not.to.include('get rid');
  });

  it('defines every group that a cue names', () => {
    const groups = new Set(linesOf('groups').map((line) => line.split(' > ')[0]));
    const named = linesOf('cues').flatMap((line) => line.match(/@[a-z]+/g) ?? []);
    expect(named.filter((name) => !groups.has(name))).to.deep.equal([]);
  });

  it('matches cues: words that have a meaning together with others', async () => {
    const cuesIn = (query: string) => {
      const stems = query.split(' ').map(stem);
      return stems.flatMap((one) => thesaurus.cuesAt(one, new Set(stems)));
    };
    expect(cuesIn('how long by bike')).to.have.lengthOf(1);
    expect(cuesIn('a long story')).to.deep.equal([]);
    const board = await boardOf({
      tools: [serverTool('maps', 'directions'), serverTool('shop', 'bike_parts')],
    });
    const answer = await board.ask('filter_tools', {
      query: 'how long would it take her by bike or on foot',
    });
    expect(namesIn(answer)).to.include('x_maps_directions');
    expect(answer['query_unmatched']).not.to.include('bike');
  });

  it('maps products to their subjects', async () => {
    const board = await boardOf({
      tools: [serverTool('obsidian', 'append'), serverTool('stripe', 'append')],
    });
    const first = async (query: string) => namesIn(await board.ask('filter_tools', { query }))[0];
    expect(await first('append to my journal')).to.equal('x_obsidian_append');
    expect(await first('append to the invoice')).to.equal('x_stripe_append');
  });

  it('derives the requested act from the verbs at the beginning of clauses', () => {
    const isRefused = (query: string, name: string) =>
      isAgainst(askedActs(query, thesaurus), name.split('_').map(stem), thesaurus);
    expect(isRefused('please delete the branch', 'create_branch')).to.equal(true);
    expect(isRefused('upload my paper', 'list_papers')).to.equal(true);
    expect(isRefused('what papers are there', 'delete_paper')).to.equal(true);
    expect(isRefused('the branch list', 'create_branch')).to.equal(false);
    expect(isRefused('add a branch', 'manage_branch')).to.equal(false);
    expect(isRefused('add a branch', 'branch')).to.equal(false);
  });

  it('derives the objects of the request from the words after such a verb', () => {
    expect(askedObjects('the roof leaks, please delete the old branch', thesaurus)).to.deep.equal([
      ['the', 'old', 'branch'],
    ]);
    expect(askedObjects('the branch is old', thesaurus)).to.deep.equal([]);
  });

  it('identifies a tool by its name, its server and the first line of its description', () => {
    const tool = serverTool('flags', 'delete_toggle', { description: 'Ends a feature.\nAlso on a wall.' });
    const visible = new Visible(new SearchIndex(stem), [tool]);
    const isKnownBy = (word: string) => visible.isKnownBy(stem(word), 0);
    expect(['toggle', 'flags', 'feature'].every(isKnownBy)).to.equal(true);
    expect(visible.holds(stem('wall'), 0)).to.equal(true);
    expect(['wall', 'roof'].some(isKnownBy)).to.equal(false);
  });

  it('is confident of tools found by a cue', async () => {
    const board = await boardOf({
      tools: [serverTool('maps', 'distance'), serverTool('shop', 'bike_parts')],
    });
    const isConfident = async (query: string) => (await board.ask('filter_tools', { query }))['confident'];
    expect(await isConfident('how far by car')).to.equal(true);
    expect(await isConfident('how far from here')).to.equal(false);
  });

  it('is not confident of tools of another product', async () => {
    const board = await boardOf({ tools: [serverTool('github', 'list_pull_requests')] });
    const isConfident = async (query: string) => (await board.ask('filter_tools', { query }))['confident'];
    expect(thesaurus.isProduct(stem('gitlab'))).to.equal(true);
    expect(await isConfident('list pull requests')).to.equal(true);
    expect(await isConfident('list gitlab pull requests')).to.equal(false);
  });
});
