// Configuration of VitePress for the documents that build.mjs has collected.
const page = (text, link) => ({ text, link });

/** The anchors that the documents use are those of GitHub. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

export default {
  title: 'Pegboard',
  description: 'One MCP endpoint for all your MCP servers',
  outDir: './site',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  // Nothing is loaded from elsewhere.
  head: [],
  markdown: {
    html: false,
    // Braces in the text are text, not attributes.
    attrs: { disable: true },
    anchor: { slugify },
    config: (md) => {
      // Go templates in the text are not those of Vue.
      const { text, code_inline: code } = md.renderer.rules;
      md.renderer.rules.text = (...args) =>
        text(...args).replace(/\{\{|\}\}/g, (braces) => `<span v-pre>${braces}</span>`);
      md.renderer.rules.code_inline = (...args) => code(...args).replace('<code', '<code v-pre');
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      page('Start', '/'),
      page('Keys', '/schemas/'),
      page('Plugins', '/plugins/REFERENCE'),
      page('Changes', '/CHANGELOG'),
    ],
    sidebar: [
      {
        text: 'Guides',
        items: [
          page('First ten minutes', '/'),
          page('Examples', '/examples/'),
          page('Workflows', '/plugins/workflow/'),
          page('For a team: sign-in', '/examples/oauth/'),
          page('For a team: who may what', '/plugins/access/'),
          page('On a machine', '/examples/machine/'),
          page('In a cluster', '/examples/helm/'),
          page('Several processes', '/examples/replicas/'),
          page('Write a plugin', '/plugins/'),
          page('Security', '/SECURITY'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('Keys', '/schemas/'),
          page('Tools', '/plugins/metatools/'),
          page('Verbs', '/plugins/cli/'),
          page('Plugins, errors, events, metrics', '/plugins/REFERENCE'),
          page('Servers', '/plugins/upstream/'),
          page('Kernel', '/kernel/'),
          page('Decisions', '/kernel/DECISIONS'),
          page('Scale', '/SCALE'),
          page('Changes', '/CHANGELOG'),
          page('Contributing', '/CONTRIBUTING'),
        ],
      },
    ],
  },
};
